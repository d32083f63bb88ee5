import { useState } from 'react'
import type { Typed } from '../../parts/forms/draft.tsx'
import { Several, valuesIn } from '../../parts/lists/several.tsx'
import { Field } from '../../parts/parts.tsx'
import { useCurrencies, useNetworks } from '../payments/forms/options.ts'

/** What bank transfers are made in. */
const NAIRA = 'NGN'
const METHODS = { onchain: ['onchain'], transfer: ['onchain', 'bank_transfer'] } as const

/** What a form says about how payers may pay. */
export function acceptedIn(form: FormData) {
  const listed = (name: string) => {
    const values = valuesIn(String(form.get(name) ?? ''))
    return values.length > 0 ? values : null
  }
  return {
    methods: [...METHODS[form.get('ways') === 'transfer' ? 'transfer' : 'onchain']],
    acceptedNetworks: listed('acceptedNetworks'),
    acceptedCurrencies: listed('acceptedCurrencies'),
  }
}

/** Why bank transfers cannot be delivered as a currency on a network; undefined where they can, and while that is not known. */
function useTransferProblem(currency: string, network: string): string | undefined {
  const corridors = useCurrencies().find(({ code }) => code === NAIRA)?.corridors
  const delivers = corridors?.some(
    ({ direction, channel, destinationCurrency, networkKey }) =>
      direction === 'onramp' && channel === 'bank' && destinationCurrency === currency && networkKey === network,
  )
  return delivers === false ? `A bank transfer is not available for ${currency} on ${network}` : undefined
}

interface AcceptedProps {
  readonly wrong: Readonly<Record<string, string>>
  /** What is received, and on which network. */
  readonly currency: string
  readonly network: string
  /** What the fields begin with. */
  readonly typed: Typed
}

/** The fields of how payers may pay: by bank transfer too, and on which networks and in which currencies. */
export function Accepted({ wrong, currency, network, typed }: AcceptedProps) {
  const networks = useNetworks()
  const [ways, setWays] = useState(typed.ways ?? '')
  const [chosenNetworks, setNetworks] = useState<readonly string[]>(valuesIn(typed.acceptedNetworks))
  const [chosenCurrencies, setCurrencies] = useState<readonly string[]>(valuesIn(typed.acceptedCurrencies))
  const transferProblem = useTransferProblem(currency, network)
  const offered = networks.filter(({ key }) => chosenNetworks.length === 0 || chosenNetworks.includes(key))
  const symbols = [...new Set(networks.flatMap(({ currencies }) => currencies))]
  const none =
    networks.length > 0 &&
    chosenCurrencies.length > 0 &&
    !offered.some(({ currencies }) => currencies.some((each) => chosenCurrencies.includes(each)))
  return (
    <>
      <Field
        label="Ways to pay"
        hint={`Bank transfers in naira reach you as ${currency}`}
        error={wrong.methods ?? (ways === 'transfer' ? transferProblem : undefined)}
      >
        {(props) => (
          <select {...props} name="ways" value={ways} onChange={({ target }) => setWays(target.value)}>
            <option value="">Stablecoin</option>
            <option value="transfer">Stablecoin or bank transfer</option>
          </select>
        )}
      </Field>
      <div className="pair even">
        <Accepting
          name="acceptedNetworks"
          label="Networks that payers may use"
          options={networks.map(({ key, name }) => [key, name])}
          chosen={chosenNetworks}
          choose={setNetworks}
          hint="Payers see them in this order"
          error={wrong.acceptedNetworks}
        />
        <Accepting
          name="acceptedCurrencies"
          label="Currencies that payers may use"
          options={symbols.map((each) => [each, each])}
          chosen={chosenCurrencies}
          choose={setCurrencies}
          error={wrong.acceptedCurrencies ?? (none ? 'Not available on the networks that you chose' : undefined)}
        />
      </div>
    </>
  )
}

interface AcceptingProps {
  readonly name: string
  readonly label: string
  readonly options: readonly (readonly [value: string, shown: string])[]
  readonly chosen: readonly string[]
  readonly choose: (values: readonly string[]) => void
  readonly hint?: string
  readonly error: string | undefined
}

/** A choice of several in order, as a field of a form. */
function Accepting({ name, hint, error, ...of }: AcceptingProps) {
  return (
    <div className="field">
      <Several none="All that are available" inForm {...of} />
      <input type="hidden" name={name} value={of.chosen.join(',')} />
      <p className={error ? 'error' : 'hint'} role={error ? 'alert' : undefined}>
        {error ?? hint}
      </p>
    </div>
  )
}
