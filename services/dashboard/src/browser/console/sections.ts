/** The sections of the console, by what they are for. */
export const sections = [
  {
    name: '',
    links: [
      ['/', 'Needs attention'],
      ['/search', 'Search'],
      ['/approvals', 'Approvals'],
      ['/commands', 'Commands'],
      ['/audit-log', 'Audit log'],
    ],
  },
  {
    name: 'Money',
    links: [
      ['/ledger', 'Ledger'],
      ['/suspense', 'Suspense'],
      ['/treasury', 'Treasury'],
    ],
  },
  { name: 'Merchants', links: [['/organisations', 'Organisations']] },
  {
    name: 'Service',
    links: [
      ['/providers', 'Providers'],
      ['/queues', 'Queues and schedules'],
      ['/dead-letters', 'Dead letters'],
      ['/tokens', 'Internal tokens'],
      ['/settings', 'Settings'],
    ],
  },
] as const
