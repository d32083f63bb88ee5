/**
 * Code that must be right, and the tests that hold it. Only these tests run for its mutants: each mutant costs a run of them. The files of
 * the rules are derived (`files.ts`); those that no part names here run the tests of their package.
 */
export interface Rule {
  readonly name: 'money' | 'idempotency' | 'access' | 'deliveries' | 'states' | 'pages'
  /** Globs of sources and of test files, from the root. */
  readonly code: readonly string[]
  readonly tests: readonly string[]
  /** The tests need no database, so that none is started. */
  readonly pure?: true
}

export const RULES: readonly Rule[] = [
  {
    name: 'money',
    pure: true,
    code: ['packages/kernel/src/**/{money,tokens}.ts'],
    tests: ['packages/kernel/src/**/{money,tokens}.test.ts'],
  },
  {
    name: 'money',
    pure: true,
    code: [
      'packages/{collections,fiat,routes,swaps}/src/**/journal.ts',
      'packages/ledger/src/{journal/entries,model/accounts}.ts',
    ],
    tests: [
      'packages/{collections,fiat,routes,swaps}/src/**/postings.test.ts',
      'packages/ledger/src/**/{accounts,entries}.test.ts',
    ],
  },
  {
    name: 'money',
    code: ['packages/ledger/src/journal/check/{accounts,entries}.ts'],
    tests: ['packages/ledger/src/journal/check/check.test.ts'],
  },
  {
    name: 'money',
    code: ['packages/cngn/src/money/journal.ts', 'packages/ledger/src/**/{holds,post,seal}.ts'],
    tests: ['packages/cngn/src/money/journal.test.ts', 'packages/ledger/src/**/{post,seal,payout-controls}.test.ts'],
  },
  {
    name: 'idempotency',
    code: ['packages/platform/src/operations/idempotency.ts', 'packages/api/src/execute.ts'],
    tests: ['packages/api/src/execute.test.ts'],
  },
  {
    name: 'access',
    pure: true,
    code: ['packages/kernel/src/actor.ts', 'packages/accounts/src/**/{allowed-ips,credentials,scopes,token-rules}.ts'],
    tests: [
      'packages/kernel/src/access.test.ts',
      'packages/accounts/src/**/{allowed-ips,comparison,credentials,scopes,token-rules}.test.ts',
    ],
  },
  {
    name: 'access',
    pure: true,
    code: ['packages/platform/src/**/{operator-command,second-operator}.ts'],
    tests: ['packages/platform/src/records/operators/operator-command.test.ts'],
  },
  {
    name: 'access',
    code: ['packages/accounts/src/**/{confirm,confirmation,membership,operators}.ts'],
    tests: ['packages/accounts/src/**/{confirm,membership,operators}.test.ts'],
  },
  {
    name: 'deliveries',
    pure: true,
    code: ['packages/webhooks/src/**/{fair-share,schedule,signature}.ts'],
    tests: ['packages/webhooks/src/**/{schedule,share,signature}.test.ts'],
  },
  {
    name: 'deliveries',
    code: ['packages/webhooks/src/**/{changes,drain,fan-out,pace,queue,tenants}.ts'],
    tests: ['packages/webhooks/src/**/{claims,fan-out,no-waiting,recovery}.test.ts'],
  },
  {
    name: 'deliveries',
    code: ['packages/webhooks/src/**/{deliveries,new-deliveries,outbox,recovery}.ts'],
    tests: ['packages/webhooks/src/**/{deliveries,fan-out,recovery}.test.ts'],
  },
  {
    name: 'deliveries',
    code: ['packages/webhooks/src/endpoints/endpoint-health.ts'],
    tests: ['packages/webhooks/src/endpoints/endpoint-health.test.ts'],
  },
  {
    name: 'pages',
    pure: true,
    code: ['packages/pay-page/src/**/{choice,code,content,document,fill,html,screen,session}.ts'],
    tests: ['packages/pay-page/src/**/{escaping,html,pay-page}.test.ts'],
  },
  {
    name: 'money',
    pure: true,
    code: ['packages/fiat/src/currencies/amounts.ts'],
    tests: ['packages/fiat/src/currencies/amounts.test.ts'],
  },
  {
    name: 'money',
    code: ['packages/cngn/src/resources/transfers.ts'],
    tests: ['packages/cngn/src/**/{limits,grace,leaving,sends}.test.ts'],
  },
  {
    name: 'money',
    code: ['packages/swaps/src/transactions/deposits.ts'],
    tests: ['packages/swaps/src/**/{deposits,stale-reports}.test.ts'],
  },
  {
    name: 'states',
    pure: true,
    code: ['packages/kernel/src/states.ts'],
    tests: ['packages/kernel/src/states.test.ts'],
  },
  {
    name: 'states',
    code: ['packages/{cngn,collections,fiat,operators,routes,swaps,webhooks}/src/**/states.ts'],
    tests: ['packages/api/src/states.test.ts'],
  },
  {
    name: 'states',
    code: ['packages/platform/src/**/{lifecycle,resource}.ts'],
    tests: ['packages/platform/src/**/{lifecycle,resource}.test.ts'],
  },
]
