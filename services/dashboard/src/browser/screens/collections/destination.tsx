import { useState } from 'react'
import { usePlace } from '../../context.ts'
import { addressCheck } from '../../parts/forms/checks.ts'
import type { Typed } from '../../parts/forms/draft.tsx'
import { Field } from '../../parts/parts.tsx'
import { useNetworks } from '../payments/forms/options.ts'
import { Accepted, acceptedIn } from './accepted.tsx'

/** In the sandbox nothing is delivered, so any address of an EVM network will do. */
const EXAMPLE_WALLET = '0x71C7656EC7ab88b098defB751B7401B5f6d8976F'
export const CURRENCIES = ['USDC', 'USDT', 'EURC'] as const

/** The network that most choose. */
const FIRST = { key: 'base', name: 'Base', type: 'evm' } as const

/** What a form says about where payments go, and how payers may pay. */
export function destinationIn(form: FormData) {
  const text = (name: string) => String(form.get(name) ?? '').trim()
  return {
    currency: CURRENCIES.find((each) => each === text('currency')) ?? 'USDC',
    destinationChainKey: text('network'),
    destinationAddress: text('address'),
    ...acceptedIn(form),
  }
}

interface DestinationProps {
  readonly wrong: Readonly<Record<string, string>>
  readonly currency: string
  readonly choose: (currency: string) => void
  /** What the fields begin with. */
  readonly typed?: Typed | undefined
}

/** The fields of what is received, on which network, in which wallet, and of how payers may pay. */
export function Destination({ wrong, currency, choose, typed = {} }: DestinationProps) {
  const { environment } = usePlace()
  const known = useNetworks()
  const networks = known.length > 0 ? known : [FIRST]
  const [network, setNetwork] = useState(typed.network ?? FIRST.key)
  const type = networks.find(({ key }) => key === network)?.type
  const example = environment === 'test' && type === 'evm' ? EXAMPLE_WALLET : ''
  return (
    <>
      <div className="pair">
        <Field label="Receive on" error={wrong.destinationChainKey}>
          {(props) => (
            <select {...props} name="network" value={network} onChange={({ target }) => setNetwork(target.value)}>
              {networks.map(({ key, name }) => (
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
        label="Your wallet address"
        hint={
          environment === 'live'
            ? 'Check it twice: payments go there'
            : example && 'An example, because in test no money moves'
        }
        error={wrong.destinationAddress}
        check={addressCheck(type)}
      >
        {(props) => (
          <input
            {...props}
            key={type}
            name="address"
            required
            autoComplete="off"
            spellCheck={false}
            defaultValue={typed.address ?? example}
          />
        )}
      </Field>
      <Accepted wrong={wrong} currency={currency} network={network} typed={typed} />
    </>
  )
}
