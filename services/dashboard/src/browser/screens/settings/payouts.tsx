import type { Inputs } from '@payments/client'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { queries } from '../../api.ts'
import { usePlace } from '../../context.ts'
import { ChangeButton } from '../../parts/forms/change.tsx'
import { addressCheck, bodyOf } from '../../parts/forms/checks.ts'
import { ConfirmedForm, Outcome } from '../../parts/forms/confirm.tsx'
import type { FieldSpec, Values } from '../../parts/forms/form.tsx'
import { Amount, Dialog, Failure, Skeleton } from '../../parts/parts.tsx'
import { refusalOf } from '../../parts/rights.ts'
import { Table } from '../../parts/table.tsx'
import { useBanks, useCngnNetworks } from '../payments/forms/options.ts'
import { Approvals } from './approvals.tsx'

type Destinations = Inputs['payoutControls']['change']['allowedDestinations']
type Destination = NonNullable<Destinations>[number]

/** What bounds the money that a leaked key could send away: limits of a day, and where it may go. */
export function PayoutControls() {
  const place = usePlace()
  const { environment, api } = place
  const refused = refusalOf('payoutControls.change', place)
  const { data, error, refetch } = useQuery({
    queryKey: [environment, 'payout-controls'],
    queryFn: () => api.payoutControls.get.query({}),
  })
  return (
    <section className="card" aria-labelledby="controls">
      <h2 id="controls">Payout controls</h2>
      <p className="hint">Limit what a leaked live key could send.</p>
      <Failure error={error} retry={() => void refetch()} />
      {!data && !error && <Skeleton />}
      {data && data.dailyLimits.length > 0 && (
        <Table
          numbers
          label="Daily limits"
          rows={data.dailyLimits}
          keyOf={({ currency }) => currency}
          columns={[
            {
              title: 'Limit of a day',
              numeric: true,
              cell: ({ limit, currency }) => <Amount of={`${limit} ${currency}`} />,
            },
            { title: 'Used today', numeric: true, cell: ({ used, currency }) => <Amount of={`${used} ${currency}`} /> },
          ]}
        />
      )}
      {refused && <p className="note">{refused}</p>}
      {data && <Allowed of={data.allowedDestinations} />}
      {data && <Approvals from={data.approval.from?.cNGN} />}
    </section>
  )
}

/** A destination with the names of its network or bank; their keys where they have none here. */
function useShown(): (each: Destination) => string {
  const networks = useCngnNetworks()
  const banks = useBanks('NGN')
  return (each) =>
    each.type === 'wallet'
      ? `${networks.find(({ key }) => key === each.networkKey)?.name ?? each.networkKey} ${each.address}`
      : `${banks.find(({ code }) => code === each.bankCode)?.name ?? each.bankCode} ${each.accountNumber}`
}

/** The destinations to which payouts and withdrawals may go. */
function Allowed({ of }: { of: readonly Destination[] | null }) {
  const { environment, api } = usePlace()
  const shown = useShown()
  const [adding, setAdding] = useState(false)
  const [opening, setOpening] = useState(false)
  const renew = () => queries.invalidateQueries({ queryKey: [environment] })
  const allow = (allowedDestinations: Destinations) => api.payoutControls.change.mutate({ allowedDestinations })
  const remove = useMutation({
    mutationFn: (each: Destination) => allow((of ?? []).filter((other) => other !== each)),
    onSuccess: renew,
  })
  const open = useMutation({
    mutationFn: () => allow(null),
    async onSuccess() {
      setOpening(false)
      await renew()
    },
  })
  return (
    <>
      <p>
        {of === null
          ? 'Every destination is allowed.'
          : of.length === 0
            ? 'No destination is allowed: payouts and withdrawals are refused.'
            : 'Payouts and withdrawals go to these destinations alone.'}
      </p>
      {of && (
        <ul className="rows" aria-label="Allowed destinations">
          {of.map((each) => (
            <li key={shown(each)}>
              <code>{shown(each)}</code>
              <ChangeButton
                calls="payoutControls.change"
                type="button"
                aria-label={`Remove ${shown(each)}`}
                disabled={remove.isPending}
                onClick={() => remove.mutate(each)}
              >
                Remove
              </ChangeButton>
            </li>
          ))}
        </ul>
      )}
      {remove.error && (
        <Outcome error={remove.error} again={() => remove.variables && remove.mutate(remove.variables)} />
      )}
      <div className="actions">
        <ChangeButton calls="payoutControls.change" type="button" onClick={() => setAdding(true)}>
          Add a destination
        </ChangeButton>
        {of && (
          <ChangeButton calls="payoutControls.change" type="button" onClick={() => setOpening(true)}>
            Allow every destination
          </ChangeButton>
        )}
      </div>
      {adding && (
        <Dialog title="Add a destination" close={() => setAdding(false)}>
          {of === null && <p className="note">After that, payouts and withdrawals go to this destination alone.</p>}
          <NewDestination
            add={(each) => allow([...(of ?? []), each])}
            done={() => void renew().then(() => setAdding(false))}
          />
        </Dialog>
      )}
      {opening && (
        <Dialog title="Allow every destination?" close={() => setOpening(false)}>
          <p>Each key that may write can then send money anywhere, within the limits of a day. The list is deleted.</p>
          {open.error && <Outcome error={open.error} again={() => open.mutate()} />}
          <ChangeButton
            calls="payoutControls.change"
            type="button"
            className="danger"
            disabled={open.isPending}
            onClick={() => open.mutate()}
          >
            Allow every destination
          </ChangeButton>
        </Dialog>
      )}
    </>
  )
}

function NewDestination({ add, done }: { add: (each: Destination) => Promise<unknown>; done: () => void }) {
  const networks = useCngnNetworks()
  const banks = useBanks('NGN')
  const fields = ({ type = 'bank', networkKey }: Values): readonly FieldSpec[] => [
    {
      name: 'type',
      label: 'Kind',
      wide: true,
      options: [
        ['bank', 'Bank account'],
        ['wallet', 'Wallet'],
      ],
    },
    ...(type === 'wallet'
      ? [
          { name: 'networkKey', label: 'Network', options: networks.map(({ key, name }) => [key, name] as const) },
          {
            name: 'address',
            label: 'Address',
            check: addressCheck((networks.find(({ key }) => key === networkKey) ?? networks[0])?.type),
          },
        ]
      : [
          { name: 'bankCode', label: 'Bank', options: banks.map(({ code, name }) => [code, name] as const) },
          { name: 'accountNumber', label: 'Account number', numeric: true },
        ]),
  ]
  return (
    <ConfirmedForm
      calls="payoutControls.change"
      label="Add"
      fields={fields}
      submit={(values) => add(bodyOf<Destination>(values))}
      done={done}
    />
  )
}
