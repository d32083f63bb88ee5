import type { NotificationType } from '@payments/platform'

/** The types about money that several domains send; every other type is declared by the domain that sends it. */
export const notificationTypes: Readonly<Record<string, NotificationType>> = {
  'money.received': { description: 'Money arrived', email: false },
  'money.returned': { description: 'Money was sent back to its sender', email: true },
  'money.corrected': { description: 'What had been recorded of a payment was corrected', email: true },
  'money.stranded': { description: 'Money could neither be delivered nor sent back', email: true },
}
