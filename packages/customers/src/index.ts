/** The customers of an organisation. */
import { domain } from '@payments/platform'
import { CustomerEntity } from './entity.ts'
import { errors } from './errors.ts'
import { migrations } from './migrations.ts'
import { operators } from './operators.ts'
import { customersRouter } from './router.ts'
import type { Customers, PlainCustomer } from './schemas.ts'
import { searched } from './search.ts'

/** The domain, of customers with the parts that other domains add to them: see `extendCustomer`. */
export const customersWith = <S extends PlainCustomer>(extended: Customers<S>) =>
  domain({
    name: 'customers',
    api: {
      tags: [{ name: 'Customers', description: 'The customers of your organisation', position: 30 }],
      router: { customers: customersRouter(extended) },
      errors,
    },
    data: {
      entities: [CustomerEntity],
      migrations,
      counted: { customers: {} },
      timeline: { objects: ['customers'] },
      searched,
    },
    operators,
  })

/** SQL: a left join that adds `<alias>.name`, the name of the customer to which a row of the table `of` refers. */
export const joinCustomerName = (alias: string, of: string): string =>
  `left join customers ${alias} on ${alias}.organisation_id = ${of}.organisation_id
    and ${alias}.environment = ${of}.environment and ${alias}.id = ${of}.customer_id`

export { errors as customerErrors } from './errors.ts'
export { CustomerId, CustomerRef, extendCustomer } from './schemas.ts'
export { checkCustomer, find as findCustomer, lockCustomer, setCustomerPart } from './service.ts'
