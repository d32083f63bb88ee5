import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { usePlace } from '../../../context.ts'
import { addressCheck, bodyOf } from '../../../parts/forms/checks.ts'
import { Form, type Values } from '../../../parts/forms/form.tsx'
import { Amount } from '../../../parts/parts.tsx'

const RENEW_MS = 15_000

/** EURC and USDC on Solana, with the price that they have now. */
export function SwapForm({ done }: { done: (id: string) => void }) {
  const { environment, api } = usePlace()
  const [values, setValues] = useState<Values>({})
  const from = values.fromCurrency ?? 'EURC'
  const amount = values.amount ?? ''
  const { data } = useQuery({
    queryKey: ['rates', environment, amount],
    queryFn: () => api.rates.list.query(amount ? { amount } : {}),
    refetchInterval: RENEW_MS,
    retry: false,
  })
  const rate = data?.rates.find((each) => each.from === from)
  return (
    <Form
      calls="swaps.create"
      label="Create swap"
      changed={setValues}
      submit={(given) =>
        api.swaps.create.mutate(bodyOf({ ...given, toCurrency: given.fromCurrency === 'EURC' ? 'USDC' : 'EURC' }))
      }
      done={({ id }) => done(id)}
      fields={() => [
        { name: 'amount', label: 'Amount', placeholder: '1,250', amount: { decimals: 6, currency: from } },
        {
          name: 'fromCurrency',
          label: 'Direction',
          options: [
            ['EURC', 'EURC to USDC'],
            ['USDC', 'USDC to EURC'],
          ],
        },
        { name: 'destinationAddress', wide: true, label: 'Solana wallet that receives', check: addressCheck('svm') },
        {
          name: 'refundAddress',
          wide: true,
          label: 'Solana wallet for a refund',
          optional: environment === 'test',
          check: addressCheck('svm'),
        },
        { name: 'customerId', wide: true, label: 'Customer', optional: true, customer: 'any' },
      ]}
    >
      {() =>
        rate && (
          <section className="quote" aria-label="Price now">
            <p>
              About <Amount of={`${rate.amountOut} ${rate.to}`} /> for <Amount of={`${rate.amountIn} ${rate.from}`} />
            </p>
            <p className="hint">Fees deducted. The price is taken when the deposit arrives.</p>
          </section>
        )
      }
    </Form>
  )
}
