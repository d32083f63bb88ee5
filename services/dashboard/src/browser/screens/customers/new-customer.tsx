import { queries } from '../../api.ts'
import { usePlace } from '../../context.ts'
import { bodyOf } from '../../parts/forms/checks.ts'
import { Form } from '../../parts/forms/form.tsx'
import { Dialog } from '../../parts/parts.tsx'
import { CUSTOMER_FIELDS } from './fields.ts'

/** The dialog that creates a customer. `done` hears its id. */
export function NewCustomer({ close, done }: { close: () => void; done: (id: string) => void }) {
  const { environment, api } = usePlace()
  return (
    <Dialog title="New customer" close={close}>
      <Form
        calls="customers.create"
        label="Create customer"
        submit={(given) => api.customers.create.mutate(bodyOf(given))}
        done={({ id }) => {
          void queries.invalidateQueries({ queryKey: [environment] })
          done(id)
        }}
        fields={() => CUSTOMER_FIELDS}
      />
    </Dialog>
  )
}
