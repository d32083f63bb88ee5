import { useQuery } from '@tanstack/react-query'
import { usePlace } from '../../context.ts'
import { Field } from '../../parts/parts.tsx'

/** In the sandbox nothing is delivered, so any address will do. */
const EXAMPLE_WALLET = '0x71C7656EC7ab88b098defB751B7401B5f6d8976F'
export const CURRENCIES = ['USDC', 'USDT', 'EURC'] as const

/** What a form says about where payments go. */
export function destinationIn(form: FormData) {
  const text = (name: string) => String(form.get(name) ?? '').trim()
  return {
    currency: CURRENCIES.find((each) => each === text('currency')) ?? 'USDC',
    destinationChainKey: text('network'),
    destinationAddress: text('address'),
  }
}

interface DestinationProps {
  readonly wrong: Readonly<Record<string, string>>
  readonly currency: string
  readonly choose: (currency: string) => void
}

/** The fields of what is received, on which network, in which wallet. */
export function Destination({ wrong, currency, choose }: DestinationProps) {
  const { environment, api } = usePlace()
  const networks = useQuery({
    queryKey: [environment, 'networks'],
    queryFn: () => api.paymentRoutes.networks.query({}),
  })
  return (
    <>
      <div className="pair">
        <Field label="Network on which you receive" error={wrong.destinationChainKey}>
          {(props) => (
            <select {...props} name="network" key={networks.data ? 'all' : 'base'} defaultValue="base">
              {(networks.data?.networks ?? [{ key: 'base', name: 'Base' }]).map(({ key, name }) => (
                <option key={key} value={key}>
                  {name}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Field label="Currency" error={wrong.currency}>
          {(props) => (
            <select {...props} name="currency" value={currency} onChange={({ target }) => choose(target.value)}>
              {CURRENCIES.map((each) => (
                <option key={each}>{each}</option>
              ))}
            </select>
          )}
        </Field>
      </div>
      <Field
        label="Your wallet on that network"
        hint={
          environment === 'test' ? 'An example, because in test no money moves' : 'Check it twice: payments go there'
        }
        error={wrong.destinationAddress}
      >
        {(props) => (
          <input
            {...props}
            name="address"
            required
            autoComplete="off"
            spellCheck={false}
            defaultValue={environment === 'test' ? EXAMPLE_WALLET : ''}
          />
        )}
      </Field>
    </>
  )
}
