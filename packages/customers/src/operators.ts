import type { OperatorsDeclaration } from '@payments/platform'
import { CustomerEntity, present } from './entity.ts'

export const operators: OperatorsDeclaration = {
  objects: [{ kind: 'customer', table: 'customers', entity: CustomerEntity, present }],
  search: [{ kind: 'customer', from: 'customers', by: { email: 'lower(email)' } }],
}
