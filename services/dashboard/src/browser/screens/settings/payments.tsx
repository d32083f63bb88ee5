import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { queries } from '../../api.ts'
import { usePlace } from '../../context.ts'
import { addressCheck } from '../../parts/checks.ts'
import { needsConfirmation, Outcome } from '../../parts/confirm.tsx'
import { Form, type Values } from '../../parts/form.tsx'
import { Amount, Failure, Screen, Skeleton } from '../../parts/parts.tsx'
import { Table } from '../../parts/table.tsx'
import { SettingsTabs } from './tabs.tsx'

const NETWORK_TYPES = [
  ['evm', 'Ethereum, Base and the like'],
  ['svm', 'Solana'],
  ['tvm', 'Tron'],
] as const

/** What happens with payments that do not fit, where refunds go, and what bounds payouts. */
export function Payments() {
  return (
    <Screen title="Payments">
      <SettingsTabs />
      <Policy />
      <RefundAddresses />
      <PayoutControls />
    </Screen>
  )
}

function Policy() {
  const { environment, api } = usePlace()
  const { data, error, refetch } = useQuery({
    queryKey: [environment, 'payment-policy'],
    queryFn: () => api.collections.policy.query({}),
  })
  return (
    <section className="card" aria-labelledby="policy">
      <h2 id="policy">Payments that do not fit</h2>
      <Failure error={error} retry={() => void refetch()} />
      {!data && !error && <Skeleton />}
      {data && (
        <Form
          key={JSON.stringify(data)}
          label="Save"
          submit={({ mismatch, tolerancePercent, graceMinutes }) =>
            api.collections.changePolicy.mutate({
              mismatch: mismatch === 'return' ? 'return' : 'keep',
              tolerancePercent: mismatch === 'return' ? 0 : Number(tolerancePercent),
              graceMinutes: Number(graceMinutes),
            })
          }
          done={() => queries.invalidateQueries({ queryKey: [environment] })}
          fields={({ mismatch = data.mismatch }) => [
            {
              name: 'mismatch',
              label: 'Too little or too much',
              initial: data.mismatch,
              options: [
                ['keep', 'Deliver what arrives; the payer can top up'],
                ['return', 'Send back what is not the exact amount'],
              ],
            },
            ...(mismatch === 'return'
              ? []
              : [
                  {
                    name: 'tolerancePercent',
                    label: 'Shortfall that counts as paid, in percent',
                    hint: '0 to 5',
                    numeric: true,
                    initial: String(data.tolerancePercent),
                  },
                ]),
            {
              name: 'graceMinutes',
              label: 'Minutes after expiry in which a payment still counts',
              numeric: true,
              initial: String(data.graceMinutes),
            },
          ]}
        />
      )}
    </section>
  )
}

function RefundAddresses() {
  const { environment, api, me } = usePlace()
  const isRefused = environment === 'live' && me.organisation.role === 'member'
  const [given, setGiven] = useState<Values>({})
  const { data, error, refetch } = useQuery({
    queryKey: [environment, 'refund-addresses'],
    queryFn: () => api.paymentRoutes.refundAddresses.query({}),
  })
  const save = useMutation({
    mutationFn: (values: Values) =>
      api.paymentRoutes.changeRefundAddresses.mutate(
        Object.fromEntries(NETWORK_TYPES.map(([type]) => [type, values[type]?.trim() || null])),
      ),
    onSuccess: () => queries.invalidateQueries({ queryKey: [environment] }),
  })
  return (
    <section className="card" aria-labelledby="refunds">
      <h2 id="refunds">Refund addresses</h2>
      <p className="hint">Where a payment goes back to that cannot be delivered and names no address of its own.</p>
      {isRefused && <p className="note">Only owners of the organisation change live refund addresses.</p>}
      <Failure error={error} retry={() => void refetch()} />
      {!data && !error && <Skeleton />}
      {data && (
        <Form
          key={JSON.stringify(data.organisation)}
          label="Save"
          submit={async (values) => {
            setGiven(values)
            try {
              return await save.mutateAsync(values)
            } catch (problem) {
              if (needsConfirmation(problem)) return undefined
              throw problem
            }
          }}
          fields={() =>
            NETWORK_TYPES.map(([type, label]) => ({
              name: type,
              label,
              optional: true,
              initial: data.organisation[type] ?? '',
              hint: data.service[type] ? `Without one: ${data.service[type]}, of this service` : undefined,
              check: addressCheck(type),
            }))
          }
        >
          {() => needsConfirmation(save.error) && <Outcome error={save.error} again={() => save.mutate(given)} />}
        </Form>
      )}
    </section>
  )
}

function PayoutControls() {
  const { environment, api } = usePlace()
  const { data, error, refetch } = useQuery({
    queryKey: [environment, 'payout-controls'],
    queryFn: () => api.payoutControls.get.query({}),
  })
  return (
    <section className="card" aria-labelledby="controls">
      <h2 id="controls">Payout controls</h2>
      <p className="hint">What bounds the money that a leaked live key could send away.</p>
      <Failure error={error} retry={() => void refetch()} />
      {!data && !error && <Skeleton />}
      {data && data.dailyLimits.length > 0 && (
        <Table
          numbers
          label="Daily limits"
          rows={data.dailyLimits}
          keyOf={({ currency }) => currency}
          columns={[
            { title: 'Currency', cell: ({ currency }) => currency },
            { title: 'Limit of a day', cell: ({ limit }) => <Amount of={limit} /> },
            { title: 'Used today', cell: ({ used }) => <Amount of={used} /> },
          ]}
        />
      )}
      {data && (
        <p>
          {data.allowedDestinations === null
            ? 'Every destination is allowed.'
            : `${data.allowedDestinations.length} ${data.allowedDestinations.length === 1 ? 'destination is' : 'destinations are'} allowed.`}
        </p>
      )}
      {data?.allowedDestinations && (
        <ul className="rows">
          {data.allowedDestinations.map((each) => (
            <li key={JSON.stringify(each)}>
              <code>
                {each.type === 'wallet'
                  ? `${each.networkKey} ${each.address}`
                  : `${each.bankCode} ${each.accountNumber}`}
              </code>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
