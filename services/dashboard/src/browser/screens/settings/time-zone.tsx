import { useMutation } from '@tanstack/react-query'
import { clients, queries } from '../../api.ts'
import { usePlace } from '../../context.ts'
import { ChangeButton, ChangeSelect } from '../../parts/forms/change.tsx'
import { Failure, Field, fieldsOf } from '../../parts/parts.tsx'
import { refusalOf } from '../../parts/rights.ts'

const { auth } = clients.test

/** The time zone in which the days of the organisation begin and end. Owners change it. */
export function OrganisationTimeZone() {
  const place = usePlace()
  const { organisation } = place.me
  const refused = refusalOf('auth.changeOrganisation', place)
  const save = useMutation({
    mutationFn: (timeZone: string) => auth.changeOrganisation.mutate({ timeZone }),
    onSuccess: () => queries.invalidateQueries(),
  })
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone
  const names = [...new Set([organisation.timeZone, here, 'UTC', ...Intl.supportedValuesOf('timeZone')])]
  const wrong = fieldsOf(save.error)
  return (
    <section aria-labelledby="time-zone">
      <h2 id="time-zone">Time zone</h2>
      <p className="hint">
        Days of reports, statements, exports, invoices and emails begin and end in this time zone. Invoices that exist
        keep theirs.
      </p>
      {refused === undefined ? (
        <form
          key={organisation.timeZone}
          onSubmit={(event) => {
            event.preventDefault()
            save.mutate(String(new FormData(event.currentTarget).get('timeZone')))
          }}
        >
          <Field label="Time zone of the organisation" error={wrong.timeZone}>
            {(props) => (
              <ChangeSelect
                calls="auth.changeOrganisation"
                {...props}
                name="timeZone"
                defaultValue={organisation.timeZone}
              >
                {names.map((each) => (
                  <option key={each}>{each}</option>
                ))}
              </ChangeSelect>
            )}
          </Field>
          {!wrong.timeZone && <Failure error={save.error} />}
          <ChangeButton calls="auth.changeOrganisation" type="submit" className="primary" disabled={save.isPending}>
            Save
          </ChangeButton>
          {save.isSuccess && <span role="status"> Saved</span>}
        </form>
      ) : (
        <>
          <p>{organisation.timeZone}</p>
          <p className="hint">{refused}</p>
        </>
      )}
    </section>
  )
}
