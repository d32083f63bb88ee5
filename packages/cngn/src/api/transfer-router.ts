import type { ErrorFactory } from '@payments/kernel'
import { download, exportCsv, exportInput, query } from '@payments/platform'
import type { z } from 'zod'
import type { TransferRow } from '../entity.ts'
import type { Kind } from '../kinds/kinds.ts'
import { findTransfer, listTransfers, missing } from '../resources/transfers.ts'
import { ListInput } from '../schemas.ts'
import { exportOf } from './export.ts'

export const TAG = 'cNGN'

/** List, lookup and export: alike for every kind. */
export const reads = <K extends Kind, I extends z.ZodObject, S extends z.ZodType, L extends z.ZodType>(definition: {
  readonly kind: K
  readonly plural: `${K}s`
  readonly Id: I
  readonly schema: S
  readonly list: L
  present(row: TransferRow): z.input<S>
}) => {
  const { kind, plural, Id, schema, list, present } = definition
  const title = `${kind.charAt(0).toUpperCase()}${kind.slice(1)}`
  return {
    list: query({
      rest: `GET /cngn/${plural}`,
      access: 'read',
      tag: TAG,
      summary: `List cNGN ${plural}`,
      description: 'At most 200, newest first. `total` counts all.',
      message: `${title}s retrieved`,
      input: ListInput,
      output: list,
      async run(context, { customerId }) {
        const { rows, total } = await listTransfers(context, kind, customerId)
        return { [plural]: rows.map(present), total } as z.input<L>
      },
    }),
    get: query({
      rest: `GET /cngn/${plural}/{${kind}Id}`,
      access: 'read',
      tag: TAG,
      summary: `Get a cNGN ${kind}`,
      description: `With its state and, if it failed, the reason.`,
      message: `${title} retrieved`,
      input: Id,
      output: schema,
      errors: [missing[kind] as ErrorFactory],
      run: async (context, input) =>
        present(await findTransfer(context, kind, String((input as Record<string, unknown>)[`${kind}Id`]))),
    }),
    export: download({
      rest: `GET /cngn/${plural}/export`,
      access: 'read',
      tag: TAG,
      summary: `Export cNGN ${plural}`,
      description: `All ${plural} as CSV, newest first, from one snapshot of the database.`,
      message: `${title}s exported`,
      input: exportInput('Created'),
      produces: 'csv',
      filename: () => `cngn-${plural}.csv`,
      stream: (context, input, signal) => exportCsv(context, exportOf(kind), input, signal),
    }),
  }
}
