/** The customers of an organisation. */
import { domain } from '@payments/kernel'
import { CustomerEntity } from './entity.ts'
import { migrations } from './migrations.ts'
import { customersRouter } from './router.ts'

export const customers = domain({
  name: 'customers',
  router: { customers: customersRouter },
  entities: [CustomerEntity],
  migrations,
})

export { no as customerRefusals } from './refusals.ts'
export { Metadata } from './schemas.ts'
export { find as findCustomer } from './service.ts'
