import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { usePlace } from '../../../context.ts'
import { addressCheck, bodyOf } from '../../../parts/forms/checks.ts'
import { type FieldSpec, Form, type Values } from '../../../parts/forms/form.tsx'
import { Amount } from '../../../parts/parts.tsx'
import { AccountName } from './account-name.tsx'
import { useBanks, useCngnNetworks, useNetworks } from './options.ts'

interface Done {
  readonly done: (id: string) => void
}

const amount: FieldSpec = {
  name: 'amount',
  label: 'Amount in cNGN',
  placeholder: '25,000',
  amount: { decimals: 2, currency: 'cNGN' },
}

/** Whose balance it is. */
const holder: FieldSpec = {
  name: 'customerId',
  wide: true,
  label: 'Customer',
  hint: 'cNGN is enabled on the page of a customer',
  customer: 'cngn',
}

/** What a customer can send. */
function Available({ customerId }: { customerId: string }) {
  const { environment, api } = usePlace()
  const { data } = useQuery({
    queryKey: [environment, 'cngn-balance', customerId],
    queryFn: () => api.cngn.balance.query({ customerId }),
    enabled: customerId !== '',
  })
  if (!data) return null
  return (
    <p className="hint" role="status">
      Available: <Amount of={`${data.available} cNGN`} />
    </p>
  )
}

export function PayinForm({ done }: Done) {
  const { api } = usePlace()
  return (
    <Form
      calls="cngn.payins.create"
      label="Create payin"
      submit={(given) => api.cngn.payins.create.mutate(bodyOf(given))}
      done={({ id }) => done(id)}
      fields={() => [holder, amount]}
    />
  )
}

export function DepositForm({ done }: Done) {
  const { api } = usePlace()
  const networks = useCngnNetworks()
  return (
    <Form
      calls="cngn.deposits.create"
      label="Create deposit address"
      submit={(given) => api.cngn.deposits.create.mutate(bodyOf(given))}
      done={({ id }) => done(id)}
      fields={() => [
        holder,
        { name: 'networkKey', label: 'Network', options: networks.map(({ key, name }) => [key, name]) },
      ]}
    />
  )
}

export function WithdrawalForm({ done }: Done) {
  const { api } = usePlace()
  const networks = useCngnNetworks()
  const [values, setValues] = useState<Values>({})
  const network = networks.find(({ key }) => key === values.networkKey) ?? networks[0]
  return (
    <Form
      calls="cngn.withdrawals.create"
      label="Create withdrawal"
      changed={setValues}
      submit={(given) => api.cngn.withdrawals.create.mutate(bodyOf(given))}
      done={({ id }) => done(id)}
      fields={() => [
        holder,
        amount,
        { name: 'networkKey', label: 'Network', options: networks.map(({ key, name }) => [key, name]) },
        { name: 'address', label: 'Wallet that receives', check: addressCheck(network?.type) },
      ]}
    >
      {(given) => <Available customerId={given.customerId ?? ''} />}
    </Form>
  )
}

export function PayoutForm({ done }: Done) {
  const { api } = usePlace()
  const banks = useBanks('NGN')
  return (
    <Form
      calls="cngn.payouts.create"
      label="Create payout"
      submit={(given) => api.cngn.payouts.create.mutate(bodyOf(given))}
      done={({ id }) => done(id)}
      fields={(given) => [
        holder,
        amount,
        {
          name: 'bankAccount.bankCode',
          wide: true,
          label: 'Bank',
          options: banks.map(({ code, name }) => [code, name]),
        },
        {
          name: 'bankAccount.accountNumber',
          label: 'Account number',
          wide: true,
          below: (
            <AccountName
              of={{
                currency: 'NGN',
                bankCode: given['bankAccount.bankCode'] ?? banks[0]?.code ?? '',
                accountNumber: given['bankAccount.accountNumber'] ?? '',
                pattern: '^\\d{10}$',
              }}
            />
          ),
          hint: '10 digits (NUBAN)',
          numeric: true,
          check: (text) => (/^\d{10}$/.test(text) ? undefined : 'Must be 10 digits (NUBAN)'),
        },
        { name: 'reference', label: 'Your reference', optional: true },
      ]}
    >
      {(given) => <Available customerId={given.customerId ?? ''} />}
    </Form>
  )
}

const DIRECTIONS = [
  ['USDC>cNGN', 'USDC to cNGN'],
  ['USDT>cNGN', 'USDT to cNGN'],
  ['cNGN>USDC', 'cNGN to USDC'],
  ['cNGN>USDT', 'cNGN to USDT'],
] as const

export function ConvertForm({ done }: Done) {
  const { api } = usePlace()
  const networks = useNetworks()
  const [values, setValues] = useState<Values>({})
  const [sold = ''] = (values.direction ?? DIRECTIONS[0][0]).split('>')
  const out = sold === 'cNGN'
  const network = networks.find(({ key }) => key === (values.networkKey ?? 'base'))
  return (
    <Form
      calls="cngn.converts.create"
      label="Create convert"
      changed={setValues}
      submit={({ direction = '', ...given }) => {
        const [fromCurrency = '', toCurrency = ''] = direction.split('>')
        return api.cngn.converts.create.mutate(bodyOf({ ...given, fromCurrency, toCurrency }))
      }}
      done={({ id }) => done(id)}
      fields={() => [
        holder,
        { name: 'direction', label: 'Direction', options: DIRECTIONS },
        {
          ...amount,
          label: `Amount in ${sold}`,
          placeholder: '100',
          amount: { decimals: 6, currency: sold },
        },
        {
          name: 'networkKey',
          label: out ? 'Network of the delivery' : 'Network of the deposit',
          options: networks.map(({ key, name }) => [key, name]),
          initial: 'base',
        },
        out
          ? { name: 'destinationAddress', label: 'Wallet that receives', check: addressCheck(network?.type) }
          : { name: 'refundAddress', label: 'Refund address', optional: true, check: addressCheck(network?.type) },
      ]}
    >
      {(given) => out && <Available customerId={given.customerId ?? ''} />}
    </Form>
  )
}
