import { COUNTRIES, emailCheck } from '../../parts/forms/checks.ts'
import type { FieldSpec } from '../../parts/forms/form.tsx'

/** What a customer is created and changed with. */
export const CUSTOMER_FIELDS: readonly FieldSpec[] = [
  { name: 'name', label: 'Name', placeholder: 'Ada Obi' },
  { name: 'email', label: 'Email address', type: 'email', check: emailCheck },
  {
    name: 'phoneNumber',
    label: 'Phone number',
    optional: true,
    placeholder: '+2348012345678',
    check: (given) =>
      /^\+[1-9]\d{6,14}$/.test(given) ? undefined : 'Enter it with the country code, like +2348012345678',
  },
  { name: 'address', label: 'Postal address', optional: true, hint: 'For invoices' },
  { name: 'country', label: 'Country', optional: true, options: COUNTRIES },
  { name: 'taxId', label: 'Tax number', optional: true },
]
