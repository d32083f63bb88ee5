import type { OperatorsDeclaration } from '@payments/platform'

export const operators: OperatorsDeclaration = {
  search: [{ kind: 'customer', from: 'customers', by: { email: 'lower(email)' } }],
}
