import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Link, useSearchParams } from 'wouter'
import { queries } from '../../api.ts'
import { usePlace } from '../../context.ts'
import { ChangeButton } from '../../parts/forms/change.tsx'
import { type Filters, filtersIn, parametersIn, parametersOf } from '../../parts/lists/transactions.ts'
import { Dialog, Failure, Field, fieldsOf } from '../../parts/parts.tsx'
import { isOwner } from '../../parts/rights.ts'

/** The saved views: each is an address, and the one that is shown can be saved or deleted. */
export function Views() {
  const { environment, api, me } = usePlace()
  const [search] = useSearchParams()
  const [saving, setSaving] = useState(false)
  const { data } = useQuery({ queryKey: [environment, 'views'], queryFn: () => api.views.list.query({}) })
  const present = parametersIn(search).toString()
  const shown = data?.views.find(({ filter }) => parametersOf(filter as Filters).toString() === present)
  const remove = useMutation({
    mutationFn: (viewId: string) => api.views.delete.mutate({ viewId }),
    onSuccess: () => queries.invalidateQueries({ queryKey: [environment, 'views'] }),
  })
  const mayRemove = shown && (shown.own || isOwner(me.organisation.role))
  if (!data || (data.total === 0 && !present)) return null
  return (
    <div className="views">
      <nav className="tabs" aria-label="Saved views">
        <Link href="/transactions" aria-current={present ? undefined : 'page'}>
          All
        </Link>
        {data.views.map(({ id, name, shared, filter }) => (
          <Link
            key={id}
            href={`/transactions?${parametersOf(filter as Filters)}`}
            aria-current={id === shown?.id ? 'page' : undefined}
          >
            {name}
            {shared && <span className="hidden">, shared</span>}
          </Link>
        ))}
      </nav>
      {present && !shown && (
        <ChangeButton calls={null} type="button" className="quiet" onClick={() => setSaving(true)}>
          Save this view
        </ChangeButton>
      )}
      {mayRemove && (
        <ChangeButton calls={null} type="button" className="quiet" onClick={() => remove.mutate(shown.id)}>
          Delete view
        </ChangeButton>
      )}
      <Failure error={remove.error} />
      {saving && <SaveView close={() => setSaving(false)} filter={filtersIn(search)} />}
    </div>
  )
}

function SaveView({ filter, close }: { filter: Filters; close: () => void }) {
  const { environment, api } = usePlace()
  const save = useMutation({
    mutationFn: (input: { name: string; shared: boolean }) =>
      api.views.create.mutate({ ...input, resource: 'transactions', filter }),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: [environment, 'views'] })
      close()
    },
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    save.mutate({ name: String(form.get('name') ?? ''), shared: form.has('shared') })
  }
  const wrong = fieldsOf(save.error)
  return (
    <Dialog title="Save this view" close={close}>
      <form onSubmit={submit}>
        <Field label="Name of the view" error={wrong.name}>
          {(props) => <input {...props} name="name" required maxLength={60} placeholder="Failed this month" />}
        </Field>
        <label className="check">
          <input type="checkbox" name="shared" /> Share it with all members of the organisation
        </label>
        {!wrong.name && <Failure error={save.error} />}
        <ChangeButton calls={null} type="submit" className="primary" disabled={save.isPending}>
          Save view
        </ChangeButton>
      </form>
    </Dialog>
  )
}
