import { CallError, callByName, type OperatorCommand, type Outputs } from '@payments/client'
import { useMutation } from '@tanstack/react-query'
import { Link } from 'wouter'
import { usePlace } from '../../context.ts'
import { exactPosting } from '../../parts/format.ts'
import { Outcome } from '../../parts/forms/confirm.tsx'
import { currencyOf, type Fields } from '../../parts/object/fields.ts'
import { Changes } from '../parts/changes.tsx'
import { Environment, Facts, Organisation } from '../parts/facts.tsx'
import { readAgain } from '../parts/reads.tsx'

type DryRun = Outputs['admin']['dryRun']
type Json = Readonly<Record<string, unknown>>

/** What the fields of a command are, by their name. */
export const meaningsOf = ({ arguments: own, options }: Pick<OperatorCommand, 'arguments' | 'options'>) =>
  Object.fromEntries([...own, ...options].map(({ name, description }) => [name, description]))

/** The input of a command, and what it would do where the service can tell. */
export interface Tried {
  readonly input: Json
  readonly effects?: DryRun
}

/** What a command would do, and the button that does it. Above the limit of a day a second operator is asked instead. */
export function Review({
  command: { procedure, summary, money, arguments: own, options },
  tried: { input, effects },
  back,
  change,
}: {
  command: OperatorCommand
  tried: Tried
  back: string
  change: () => void
}) {
  const { api } = usePlace()
  const send = useMutation({
    mutationFn: async () => (await callByName(api, procedure, input)) as Json,
    onSuccess: readAgain,
  })
  const request = useMutation({
    async mutationFn() {
      const { reason, ...rest } = input
      return (await api.admin.approvals.request.mutate({
        command: procedure.name,
        input: rest,
        reason: String(reason ?? ''),
      })) as Json
    },
    onSuccess: readAgain,
  })
  const needsSecond =
    effects?.effects.some(({ kind }) => kind === 'approval') ||
    (send.error instanceof CallError && send.error.code === 'second_operator_required')
  if (send.data) return <Done title="It is done" reply={send.data} within={currencyOf(procedure.name)} back={back} />
  if (request.data)
    return (
      <Done
        title="Another operator is asked to approve it"
        reply={{ id: request.data.id }}
        within={{}}
        back="/approvals"
      />
    )
  return (
    <>
      <section aria-label="Input">
        <h2>What you ask for</h2>
        {effects?.environment && (
          <p>
            <Environment of={effects.environment} /> Organisation <Organisation id={effects.organisationId} />
          </p>
        )}
        <Facts of={input} about={meaningsOf({ arguments: own, options })} />
      </section>
      {effects ? (
        <Effects of={effects} within={currencyOf(procedure.name)} />
      ) : (
        <p className="note">
          It asks a provider first, so what it would do is known only when it is done. Nothing was done yet.
        </p>
      )}
      {needsSecond ? (
        <>
          <p className="note">
            It is above your limit of a day: another operator must approve it within a day. Nothing was done yet.
          </p>
          <Outcome error={request.error} again={() => request.mutate()} />
          <div className="actions">
            <button type="button" className="primary" disabled={request.isPending} onClick={() => request.mutate()}>
              Request approval
            </button>
            <button type="button" onClick={change}>
              Change the input
            </button>
          </div>
        </>
      ) : (
        <>
          <Outcome error={send.error} again={() => send.mutate()} />
          <div className="actions">
            <button
              type="button"
              className={money ? 'danger' : 'primary'}
              disabled={send.isPending}
              onClick={() => send.mutate()}
            >
              {send.isPending ? 'Sending …' : summary}
            </button>
            <button type="button" onClick={change}>
              Change the input
            </button>
          </div>
        </>
      )}
    </>
  )
}

const EFFECTS = { change: 'Changes', posting: 'Postings', approval: 'Approval', touched: 'What it touches' } as const

/** What a command would do: the object before and after, its changes and its postings. */
function Effects({ of: { effects, reply, before, after }, within }: { of: DryRun; within: Fields }) {
  return (
    <section aria-label="What it would do">
      <h2>What it would do</h2>
      <EffectList of={effects} />
      <Changes before={before} after={after ?? reply} within={within} />
    </section>
  )
}

/** Changes, postings, the need for an approval and what an organisation has, each with its lines. */
export function EffectList({ of }: { of: DryRun['effects'] }) {
  if (of.length === 0) return <p className="hint">No change of an object’s state, and no posting.</p>
  return (
    <dl className="facts">
      {[...Map.groupBy(of, ({ kind }) => kind)].map(([kind, each]) => (
        <div key={kind} className="fact">
          <dt>{EFFECTS[kind]}</dt>
          {each.map(({ summary, resourceId }, index) => (
            <dd key={`${resourceId}-${index}`} className="amount">
              {kind === 'posting' || kind === 'touched' ? exactPosting(summary) : summary}
            </dd>
          ))}
        </div>
      ))}
    </dl>
  )
}

/** What a command answered, and the way back. */
function Done({ title, reply, within, back }: { title: string; reply: Json; within: Fields; back: string }) {
  return (
    <>
      <p className="note good" role="status">
        {title}
      </p>
      <Facts of={reply} within={within} />
      <div className="actions">
        <Link href={back} className="button primary">
          {back === '/approvals' ? 'Show approvals' : 'Back'}
        </Link>
      </div>
    </>
  )
}
