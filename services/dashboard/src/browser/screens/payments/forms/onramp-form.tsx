import { useState } from 'react'
import { usePlace } from '../../../context.ts'
import { networkName } from '../../../parts/format.ts'
import { addressCheck, bodyOf } from '../../../parts/forms/checks.ts'
import { Form, type Values } from '../../../parts/forms/form.tsx'
import { useBanks, useCurrencies, useNetworks } from './options.ts'

/** A bank transfer to stablecoin in a wallet. */
export function OnrampForm({ done }: { done: (id: string) => void }) {
  const { environment, api } = usePlace()
  const currencies = useCurrencies().filter(({ onramp }) => onramp)
  const networks = useNetworks()
  const [values, setValues] = useState<Values>({})
  const chosen = currencies.find(({ code }) => code === values.sourceCurrency) ?? currencies[0]
  const banks = useBanks(environment === 'live' ? (chosen?.code ?? '') : '')
  const corridors = chosen?.corridors.filter(({ direction }) => direction === 'onramp') ?? []
  const symbols = [...new Set(corridors.map(({ destinationCurrency }) => destinationCurrency))]
  const symbol = symbols.find((each) => each === values.destinationCurrency) ?? symbols[0]
  const ways = corridors.filter((way) => way.destinationCurrency === symbol)
  const keys = [...new Set(ways.map(({ networkKey }) => networkKey))]
  const networkKey = keys.find((key) => key === values.networkKey) ?? keys[0]
  const network = networks.find(({ key }) => key === networkKey)
  const refund =
    environment === 'live'
      ? [
          {
            name: 'refundBankAccount.bankCode',
            label: 'Bank for a refund',
            options: banks.map(({ code, name }) => [code, name] as const),
          },
          { name: 'refundBankAccount.accountNumber', label: 'Account number for a refund', numeric: true },
          { name: 'refundBankAccount.accountName', label: 'Name of the holder' },
        ]
      : []
  return (
    <Form
      calls="onramps.create"
      label="Create onramp"
      changed={setValues}
      submit={(given) => api.onramps.create.mutate(bodyOf(given))}
      done={({ id }) => done(id)}
      fields={() => [
        {
          name: 'amount',
          label: 'Amount',
          placeholder: '50,000',
          amount: { decimals: 2, ...(chosen ? { currency: chosen.code } : {}) },
        },
        {
          name: 'sourceCurrency',
          label: 'The payer transfers',
          options: currencies.map(({ code, name }) => [code, `${code}, ${name}`]),
        },
        { name: 'destinationCurrency', label: 'The wallet gets', options: symbols.map((each) => [each, each]) },
        { name: 'networkKey', label: 'On the network', options: keys.map((each) => [each, networkName(each)]) },
        { name: 'destinationAddress', wide: true, label: 'Wallet', check: addressCheck(network?.type) },
        ...refund,
        { name: 'customerId', wide: true, label: 'Customer', optional: true, customer: 'any' },
        { name: 'reference', label: 'Your reference', optional: true },
      ]}
    />
  )
}
