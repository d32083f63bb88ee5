import type { Outputs } from '@payments/client'
import { isShort, undecided } from '@payments/pay-page'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { queries } from '../../api.ts'
import { usePlace } from '../../context.ts'
import { networkName } from '../../parts/format.ts'
import { ChangeButton } from '../../parts/forms/change.tsx'
import { Amount, Copyable, Dialog, Failure, Field, fieldsOf, Time } from '../../parts/parts.tsx'

type Session = Outputs['collections']['sessions']['sessions'][number]
type Payment = Session['payments'][number]
type Action = 'counted' | 'sent_back' | 'kept'

/** What a merchant can do with money that does not count by itself. */
const ACTIONS: Readonly<Record<Action, { name: string; explains: string; done: string }>> = {
  counted: {
    name: 'Count as paid',
    explains: 'The payment is marked as paid, its payer gets a receipt, and your webhooks hear of it. No money moves.',
    done: 'Count as paid',
  },
  sent_back: {
    name: 'Send it back',
    explains: 'The money is in your wallet, so you send it from there. Record it here once you have.',
    done: 'I have sent it back',
  },
  kept: {
    name: 'Keep it',
    explains: 'The payment stays unpaid, and is no longer listed under “Needs attention”.',
    done: 'Keep it',
  },
}

/** What the merchant has to decide about the money of a session: what arrived, and what can be done with it. */
export function Decide({ of: session }: { of: Session }) {
  return undecided(session.status, session.payments, isShort).map((payment) => (
    <div key={payment.id} className="decide">
      {/* A part is on the page already. */}
      {!payment.counts && <Arrived of={payment} />}
      <Choices session={session} payment={payment} />
    </div>
  ))
}

function Arrived({ of: payment }: { of: Payment }) {
  return (
    <>
      <p>
        <Amount of={`${payment.amount} ${payment.currency}`} />{' '}
        {payment.networkKey === null ? 'by bank transfer' : `on ${networkName(payment.networkKey)}`} ·{' '}
        <Time at={payment.receivedAt} />
      </p>
      {payment.txHash && (
        <p className="path-text">
          <Copyable text={payment.txHash} label="Copy the transaction hash" />
        </p>
      )}
    </>
  )
}

function Choices({ session, payment }: { session: Session; payment: Payment }) {
  const [chosen, setChosen] = useState<Action>()
  return (
    <div className="ways">
      {(Object.keys(ACTIONS) as Action[]).map((action) => (
        <ChangeButton calls="collections.resolve" key={action} type="button" onClick={() => setChosen(action)}>
          {ACTIONS[action].name}
        </ChangeButton>
      ))}
      {chosen && <Decision action={chosen} session={session} payment={payment} close={() => setChosen(undefined)} />}
    </div>
  )
}

function Decision({
  action,
  session,
  payment,
  close,
}: {
  action: Action
  session: Session
  payment: Payment
  close: () => void
}) {
  const { environment, api } = usePlace()
  const { name, explains, done } = ACTIONS[action]
  const decide = useMutation({
    mutationFn: (note: string) =>
      api.collections.resolve.mutate({
        ...{ sessionId: session.id, action, paymentId: payment.id },
        ...(note ? { note } : {}),
      }),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: [environment] })
      close()
    },
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    decide.mutate(String(new FormData(event.currentTarget).get('note') ?? '').trim())
  }
  const { note: wrong } = fieldsOf(decide.error)
  return (
    <Dialog title={`${name}?`} close={close}>
      <p>{explains}</p>
      {action === 'sent_back' && <SendBack to={payment.refundTo ?? session.refundTo} />}
      <form onSubmit={submit}>
        <Field label="Note (optional)" hint="For your records; the payer does not see it" error={wrong}>
          {(props) => <input {...props} name="note" maxLength={500} />}
        </Field>
        {!wrong && <Failure error={decide.error} />}
        <ChangeButton calls="collections.resolve" type="submit" className="primary" disabled={decide.isPending}>
          {done}
        </ChangeButton>
      </form>
    </Dialog>
  )
}

/** Where money goes back to, where the payer said so. */
const SendBack = ({ to }: { to: Session['refundTo'] }) =>
  to?.owner === 'payer' ? (
    <p>
      Send it to the address that the payer gave: <Copyable text={to.address} label="Copy the payer’s address" />
    </p>
  ) : (
    <p>
      The payer gave no address for a refund. Ask them for one, and do not send it to the address that it came from:
      that may be an exchange’s.
    </p>
  )
