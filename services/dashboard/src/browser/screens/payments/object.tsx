import { useMutation, useQuery } from '@tanstack/react-query'
import { Fragment, useState } from 'react'
import { queries } from '../../api.ts'
import { usePlace } from '../../context.ts'
import { Countdown } from '../../parts/countdown.tsx'
import { words } from '../../parts/format.ts'
import { ChangeButton } from '../../parts/forms/change.tsx'
import { Code } from '../../parts/object/code.tsx'
import { NotLoaded } from '../../parts/object/not-loaded.tsx'
import { Raw } from '../../parts/object/raw.tsx'
import { Timeline } from '../../parts/object/timeline.tsx'
import { Amount, Copyable, Dialog, Failure, Screen, Status, Time } from '../../parts/parts.tsx'
import type { AnyKind, Instruction } from './kind.ts'

/** One payment of a kind, followed from its creation to its end. */
export function PaymentScreen({ kind, id }: { kind: AnyKind; id: string }) {
  const { environment, api } = usePlace()
  const { data, error, refetch } = useQuery({
    queryKey: [environment, 'payment', kind.path, id],
    queryFn: () => kind.read(api, id),
  })
  const title = kind.one.replace(/^(?!cNGN)./, (first) => first.toUpperCase())
  if (!data)
    return <NotLoaded title={title} error={error} retry={() => void refetch()} list={[kind.path, kind.title]} />
  return (
    <Screen title={title} actions={<Cancel kind={kind} of={data} />}>
      <PaymentObject kind={kind} of={data} />
    </Screen>
  )
}

/** What there is to know about one payment. */
export function PaymentObject({ kind, of }: { kind: AnyKind; of: unknown }) {
  const { environment } = usePlace()
  const { id, amount, name, status, to, createdAt } = kind.summary(of)
  const instruction = kind.instruction?.(of)
  const { Parts } = kind
  return (
    <>
      <p className="main-amount">
        {amount ? <Amount of={amount} /> : name} <Status of={status} />
      </p>
      <Steps states={kind.states} status={status} />
      {instruction && <ToPay instruction={instruction} />}
      {environment === 'test' && kind.simulate?.when(of) && <Simulate kind={kind} of={of} />}
      <dl className="facts">
        <dt>To</dt>
        <dd>{to}</dd>
        {kind
          .facts(of)
          .filter(([, value]) => value !== null && value !== undefined && value !== '' && value !== false)
          .map(([name, value]) => (
            <Fragment key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </Fragment>
          ))}
        <dt>Id</dt>
        <dd>
          <Copyable text={id} label="Copy the id" />
        </dd>
        <dt>Created</dt>
        <dd>
          <Time at={createdAt} />
        </dd>
      </dl>
      {Parts && <Parts of={of} />}
      <Timeline id={id} of={kind.transactions?.kind} />
      <Raw value={of} call={`GET ${kind.rest}/${id}`} />
    </>
  )
}

/** The path from the first state to the last, and where it is. A state beside the path ends it. */
function Steps({ states, status }: { states: AnyKind['states']; status: string }) {
  const steps = Object.keys(states).filter((state) => states[state] === 'step')
  const at = steps.indexOf(status)
  if (steps.length === 0) return null
  return (
    <ol className="path" aria-label="Progress">
      {steps.map((step, index) => {
        const done = at >= 0 && (index < at || index === steps.length - 1) && index <= at
        return (
          <li key={step} className={done ? 'done' : ''} aria-current={index === at ? 'step' : undefined}>
            {words(step)}
          </li>
        )
      })}
      {at < 0 && (
        <li className="aside" aria-current="step">
          {words(status)}
        </li>
      )}
    </ol>
  )
}

/** Where to send how much, until when. */
function ToPay({ instruction: { text, to, code, amount, facts = [], until } }: { instruction: Instruction }) {
  return (
    <section className="to-pay" aria-label="To pay">
      {code && <Code text={to} />}
      <div className="text">
        <h2>{text}</h2>
        {amount && (
          <p className="main-amount">
            <Amount of={amount} />
          </p>
        )}
        <p className="link">
          <Copyable text={to} label="Copy where to pay" />
        </p>
        {facts.map(([name, value]) => (
          <p key={name}>
            <span className="hint">{name}</span> {value}
          </p>
        ))}
        {until && (
          <p className="hint">
            Until <Time at={until} />, <Countdown until={until} />
          </p>
        )}
      </div>
    </section>
  )
}

function Simulate({ kind, of }: { kind: AnyKind; of: unknown }) {
  const { environment, api } = usePlace()
  const run = useMutation({
    mutationFn: async () => kind.simulate?.run(api, of),
    onSuccess: () => queries.invalidateQueries({ queryKey: [environment] }),
  })
  return (
    <div className="pay">
      <ChangeButton
        calls={kind.simulate?.calls ?? null}
        type="button"
        className="primary"
        disabled={run.isPending}
        onClick={() => run.mutate()}
      >
        {run.isPending ? 'Sending …' : kind.simulate?.label}
      </ChangeButton>
      <p className="hint" role="status">
        {run.isSuccess ? 'Sent: it arrives within seconds.' : 'Simulates the payer. No money moves.'}
      </p>
      <Failure error={run.error} />
    </div>
  )
}

/** Ends it, after a question. */
function Cancel({ kind, of }: { kind: AnyKind; of: unknown }) {
  const { environment, api } = usePlace()
  const [asking, setAsking] = useState(false)
  const cancel = useMutation({
    mutationFn: async () => kind.cancel?.run(api, of),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: [environment] })
      setAsking(false)
    },
  })
  if (!kind.cancel?.when(of)) return null
  return (
    <>
      <ChangeButton calls={kind.cancel.calls} type="button" className="danger" onClick={() => setAsking(true)}>
        {kind.cancel.label}
      </ChangeButton>
      {asking && (
        <Dialog title={`${kind.cancel.label}?`} close={() => setAsking(false)}>
          <p>{kind.cancel.question}</p>
          <Failure error={cancel.error} />
          <ChangeButton
            calls={kind.cancel.calls}
            type="button"
            className="danger"
            disabled={cancel.isPending}
            onClick={() => cancel.mutate()}
          >
            {kind.cancel.label}
          </ChangeButton>
        </Dialog>
      )}
    </>
  )
}
