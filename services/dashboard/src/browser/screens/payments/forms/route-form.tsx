import { useState } from 'react'
import { usePlace } from '../../../context.ts'
import { addressCheck, bodyOf } from '../../../parts/forms/checks.ts'
import { Form, type Values } from '../../../parts/forms/form.tsx'
import { useNetworks } from './options.ts'

/** An address on one network whose deposits are delivered on another. */
export function RouteForm({ done }: { done: (id: string) => void }) {
  const { environment, api } = usePlace()
  const networks = useNetworks()
  const [values, setValues] = useState<Values>({})
  const network = (name: string, otherwise: number) =>
    networks.find(({ key }) => key === values[name]) ?? networks[otherwise]
  const [origin, destination] = [network('originChainKey', 0), network('destinationChainKey', 1)]
  const keys = networks.map(({ key, name }) => [key, name] as const)
  return (
    <Form
      calls="paymentRoutes.create"
      label="Create payment route"
      changed={setValues}
      submit={(given) => api.paymentRoutes.create.mutate(bodyOf(given))}
      done={({ id }) => done(id)}
      fields={() => [
        { name: 'name', wide: true, label: 'Name', hint: 'Only you see it', placeholder: 'Treasury' },
        { name: 'originChainKey', label: 'Payers send on', options: keys, initial: origin?.key ?? '' },
        {
          name: 'originCurrency',
          label: 'Payers send',
          options: (origin?.currencies ?? []).map((each) => [each, each] as const),
        },
        { name: 'destinationChainKey', label: 'You receive on', options: keys, initial: destination?.key ?? '' },
        {
          name: 'destinationCurrency',
          label: 'You receive',
          options: (destination?.currencies ?? []).map((each) => [each, each] as const),
        },
        {
          name: 'destinationAddress',
          wide: true,
          label: 'Your wallet there',
          hint: environment === 'live' ? 'Check it twice: deposits go there' : undefined,
          check: addressCheck(destination?.type),
        },
        {
          name: 'refundAddress',
          wide: true,
          label: 'Refund address',
          hint: 'On the network of the payers',
          optional: true,
          check: addressCheck(origin?.type),
        },
        { name: 'customerId', wide: true, label: 'Customer', optional: true, customer: 'any' },
      ]}
    />
  )
}
