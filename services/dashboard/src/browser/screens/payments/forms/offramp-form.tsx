import { exactNumber } from '@payments/kernel'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useDeferredValue, useState } from 'react'
import { usePlace } from '../../../context.ts'
import { Countdown } from '../../../parts/countdown.tsx'
import { networkName } from '../../../parts/format.ts'
import { addressCheck, bodyOf } from '../../../parts/forms/checks.ts'
import { Form, type Values } from '../../../parts/forms/form.tsx'
import { Amount, fieldsOf } from '../../../parts/parts.tsx'
import { sum } from '../../overview/series.ts'
import { AccountName } from './account-name.tsx'
import { useBanks, useCurrencies, useNetworks } from './options.ts'

/** Stablecoin to a bank account: rate, fee and the name at the bank are seen before it is created. */
export function OfframpForm({ done }: { done: (id: string) => void }) {
  const { environment, api } = usePlace()
  const currencies = useCurrencies().filter(({ offramp }) => offramp)
  const networks = useNetworks()
  const [values, setValues] = useState<Values>({})
  const chosen = currencies.find(({ code }) => code === values.destinationCurrency) ?? currencies[0]
  const currency = chosen?.code ?? ''
  const banks = useBanks(currency)
  const bank = banks.find(({ code }) => code === values['bankAccount.bankCode']) ?? banks[0]
  const corridors = chosen?.corridors.filter(({ direction }) => direction === 'offramp') ?? []
  const source = (corridors.find(({ sourceCurrency }) => sourceCurrency === values.sourceCurrency) ?? corridors[0])
    ?.sourceCurrency
  const ways = corridors.filter(({ sourceCurrency }) => sourceCurrency === source)
  const networkKey = (ways.find((way) => way.networkKey === values.networkKey) ?? ways[0])?.networkKey ?? ''
  const quote = useQuote({
    amount: values.amount ?? '',
    sourceCurrency: source ?? '',
    destinationCurrency: currency,
    networkKey,
  })
  /** The quote of what is typed: one of another amount is none of this. */
  const held = quote.of.amount === values.amount ? quote.data : undefined
  const unique = (of: readonly string[]) => [...new Set(of)]
  const network = networks.find(({ key }) => key === networkKey)
  return (
    <Form
      calls="offramps.create"
      label="Create offramp"
      changed={setValues}
      submit={(given) => api.offramps.create.mutate({ ...bodyOf(given), ...(held ? { quoteId: held.quoteId } : {}) })}
      disabled={Boolean(values.amount) && !held}
      done={({ id }) => done(id)}
      fields={(given) => [
        {
          name: 'amount',
          label: 'Amount',
          placeholder: '1,250',
          amount: { decimals: 6, ...(source ? { currency: source } : {}) },
          error: quote.error && (Object.values(fieldsOf(quote.error))[0] ?? quote.error.message),
        },
        {
          name: 'sourceCurrency',
          label: 'You send',
          options: unique(corridors.map(({ sourceCurrency }) => sourceCurrency)).map((each) => [each, each]),
        },
        {
          name: 'networkKey',
          label: 'On the network',
          options: unique(ways.map((way) => way.networkKey)).map((each) => [each, networkName(each)]),
        },
        {
          name: 'destinationCurrency',
          label: 'The recipient gets',
          wide: true,
          below: <Quoted quote={held} renew={quote.renew} />,
          options: currencies.map(({ code, name }) => [code, `${code}, ${name}`]),
        },
        {
          name: 'bankAccount.bankCode',
          wide: true,
          label: 'Bank or mobile money',
          options: banks.map(({ code, name }) => [code, name]),
        },
        {
          name: 'bankAccount.accountNumber',
          label: 'Account number',
          hint: bank?.accountRule.description,
          numeric: true,
          wide: true,
          below: (
            <AccountName
              of={{
                currency,
                bankCode: bank?.code ?? '',
                accountNumber: given['bankAccount.accountNumber'] ?? '',
                pattern: bank?.accountRule.pattern ?? '',
              }}
            />
          ),
          check: (text) =>
            bank && !new RegExp(bank.accountRule.pattern).test(text)
              ? `Must be ${bank.accountRule.description}`
              : undefined,
        },
        {
          name: 'bankAccount.accountName',
          label: 'Name of the holder',
          hint: 'Only if the bank cannot confirm the name',
          optional: true,
        },
        {
          name: 'refundAddress',
          wide: true,
          label: 'Refund address',
          hint: 'Where the deposit goes back to if the order fails',
          optional: environment === 'test',
          check: addressCheck(network?.type),
        },
        { name: 'customerId', wide: true, label: 'Customer', optional: true, customer: 'any' },
        { name: 'reference', label: 'Your reference', optional: true },
      ]}
    />
  )
}

interface Wanted {
  readonly amount: string
  readonly sourceCurrency: string
  readonly destinationCurrency: string
  readonly networkKey: string
}

/** A quote for what is typed, asked for again when it has expired. */
function useQuote(wanted: Wanted) {
  const { environment, api } = usePlace()
  const client = useQueryClient()
  const late = useDeferredValue(wanted)
  // The environment is not the first: an event of the organisation changes no quote.
  const queryKey = ['quote', environment, late]
  const { data, error } = useQuery({
    queryKey,
    async queryFn({ signal }) {
      // No quote while the amount is being typed.
      await new Promise((resolve) => setTimeout(resolve, 400))
      signal.throwIfAborted()
      return api.fiat.sellQuote.mutate(late)
    },
    enabled: late.amount !== '' && late.networkKey !== '',
    retry: false,
    staleTime: 30_000,
  })
  return { data, error: error ?? undefined, of: late, renew: () => void client.invalidateQueries({ queryKey }) }
}

function Quoted({ quote, renew }: { quote: ReturnType<typeof useQuote>['data']; renew: () => void }) {
  if (!quote) return null
  return (
    <section className="quote" aria-label="Quote">
      <p>
        The recipient gets <Amount of={`${quote.convertedAmount} ${quote.destinationCurrency}`} />
      </p>
      <p className="hint">
        You send <Amount of={`${sum([quote.amount, quote.fee])} ${quote.sourceCurrency}`} /> (
        {exactNumber(quote.amount)} + {exactNumber(quote.fee)} fee)
      </p>
      <p className="hint">
        Rate: <Amount of={`${quote.rate} ${quote.destinationCurrency}`} /> for 1 {quote.sourceCurrency}
      </p>
      <p className="hint">
        Held for <Countdown key={quote.quoteId} until={quote.expiresAt} ended={renew} />
      </p>
    </section>
  )
}
