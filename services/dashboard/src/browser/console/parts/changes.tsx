import { type Fields, titleOf } from '../../parts/object/fields.ts'
import { Table } from '../../parts/table.tsx'
import { Value } from './facts.tsx'

/** The fields that differ between what an object was and what it is, or those that it has where nothing was before; nothing where none do. */
export function Changes({ before, after, within }: { before: Fields | null; after: Fields | null; within: Fields }) {
  const names = Object.keys({ ...before, ...after }).filter(
    (name) => JSON.stringify(before?.[name] ?? null) !== JSON.stringify(after?.[name] ?? null),
  )
  const column = (title: string, of: Fields) => ({
    title,
    cell: (name: string) => <Value field={name} in={of} within={within} of={of[name]} />,
  })
  return (
    <Table
      label="Before and after"
      rows={names}
      keyOf={(name) => name}
      columns={[
        { title: 'Field', cell: titleOf },
        ...(before ? [column('Before', before)] : []),
        ...(after ? [column('After', after)] : []),
      ]}
    />
  )
}
