import {
  AlertIcon,
  CheckCircleIcon,
  ClockIcon,
  CreditCardIcon,
  GearIcon,
  HistoryIcon,
  InboxIcon,
  KeyIcon,
  OrganizationIcon,
  PlugIcon,
  QuestionIcon,
  SearchIcon,
  TableIcon,
  TerminalIcon,
} from '@primer/octicons-react'
/** The sections of the console, by what they are for. */
export const sections = [
  {
    name: '',
    links: [
      ['/', 'Needs attention', AlertIcon],
      ['/search', 'Search', SearchIcon],
      ['/approvals', 'Approvals', CheckCircleIcon],
      ['/commands', 'Commands', TerminalIcon],
      ['/audit-log', 'Audit log', HistoryIcon],
    ],
  },
  {
    name: 'Money',
    links: [
      ['/ledger', 'Ledger', TableIcon],
      ['/suspense', 'Suspense', QuestionIcon],
      ['/treasury', 'Treasury', CreditCardIcon],
    ],
  },
  { name: 'Merchants', links: [['/organisations', 'Organisations', OrganizationIcon]] },
  {
    name: 'Service',
    links: [
      ['/providers', 'Providers', PlugIcon],
      ['/queues', 'Queues and schedules', ClockIcon],
      ['/dead-letters', 'Dead letters', InboxIcon],
      ['/tokens', 'Internal tokens', KeyIcon],
      ['/settings', 'Settings', GearIcon],
    ],
  },
] as const
