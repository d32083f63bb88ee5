import { useQuery } from '@tanstack/react-query'
import { queries } from '../../api.ts'
import { usePlace } from '../../context.ts'
import { addressCheck } from '../../parts/forms/checks.ts'
import { ConfirmedForm } from '../../parts/forms/confirm.tsx'
import { Form } from '../../parts/forms/form.tsx'
import { Failure, Screen, Skeleton } from '../../parts/parts.tsx'
import { refusalOf } from '../../parts/rights.ts'
import { PayoutControls } from './payouts.tsx'
import { SettingsTabs } from './tabs.tsx'

const NETWORK_TYPES = [
  ['evm', 'EVM networks (Ethereum, Base, …)'],
  ['svm', 'Solana'],
  ['tvm', 'Tron'],
] as const

/** What happens with over- and underpayments, where refunds go, and what bounds payouts. */
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
      <h2 id="policy">Over- and underpayments</h2>
      <Failure error={error} retry={() => void refetch()} />
      {!data && !error && <Skeleton />}
      {data && (
        <Form
          calls="collections.changePolicy"
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
              wide: true,
              label: 'Too little or too much',
              initial: data.mismatch,
              options: [
                ['keep', 'Deliver it; the payer can top up'],
                ['return', 'Send it back'],
              ],
            },
            ...(mismatch === 'return'
              ? []
              : [
                  {
                    name: 'tolerancePercent',
                    label: 'Accept as paid if short by up to (%)',
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
  const place = usePlace()
  const { environment, api } = place
  const refused = refusalOf('paymentRoutes.changeRefundAddresses', place)
  const { data, error, refetch } = useQuery({
    queryKey: [environment, 'refund-addresses'],
    queryFn: () => api.paymentRoutes.refundAddresses.query({}),
  })
  return (
    <section className="card" aria-labelledby="refunds">
      <h2 id="refunds">Refund addresses</h2>
      <p className="hint">Where a payment goes back to that cannot be delivered and names no address of its own.</p>
      {refused && <p className="note">{refused}</p>}
      <Failure error={error} retry={() => void refetch()} />
      {!data && !error && <Skeleton />}
      {data && (
        <ConfirmedForm
          calls="paymentRoutes.changeRefundAddresses"
          key={JSON.stringify(data.organisation)}
          label="Save"
          submit={(values) =>
            api.paymentRoutes.changeRefundAddresses.mutate(
              Object.fromEntries(NETWORK_TYPES.map(([type]) => [type, values[type]?.trim() || null])),
            )
          }
          done={() => void queries.invalidateQueries({ queryKey: [environment] })}
          fields={() =>
            NETWORK_TYPES.map(([type, label]) => ({
              name: type,
              label,
              wide: true,
              optional: true,
              initial: data.organisation[type] ?? '',
              hint: data.service[type] ? `Without one: ${data.service[type]}, of this service` : undefined,
              check: addressCheck(type),
            }))
          }
        />
      )}
    </section>
  )
}
