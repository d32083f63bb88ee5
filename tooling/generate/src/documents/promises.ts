/** Something that the service promises, and what shows it. */
export interface Promised {
  readonly title: string
  /** What is promised, so that a command can show it. */
  readonly promise: string
  /** The command that shows it, with what it does. */
  readonly shown: string
  readonly command: string
  /** The files of the tests that hold it in `npm test`. */
  readonly tests: readonly string[]
}

/** What is promised. A promise that no command shows does not belong here. */
export const promises: readonly Promised[] = [
  {
    title: 'The interface is what its documents say',
    promise: 'No reply and no accepted request differs from the API documents, and generated clients work.',
    shown:
      'Sends every request of both references through Prism, lints the documents with Redocly and with Spectral’s OWASP rules, lets clients of three generators tell a story, and runs the tests of the specification and every sample of README and guides.',
    command: 'npm run proof -- documents',
    tests: [
      'tooling/proof/src/documents/documents.test.ts',
      'tooling/acceptance/src/compatibility/compatibility.test.ts',
      'services/gateway/src/openapi/document.test.ts',
      'tooling/acceptance/src/guides/samples.test.ts',
      'tooling/acceptance/src/guides/readme.test.ts',
    ],
  },
  {
    title: 'Every statement of the specification holds',
    promise: 'Each statement of the specification has one test (`docs/derived/conformance.md`).',
    shown: 'Runs these tests.',
    command: 'npm run check -- acceptance',
    tests: ['tooling/acceptance/src/conformance/statements.test.ts'],
  },
  {
    title: 'No input breaks the service',
    promise:
      'Whatever is sent, the reply is in the documents, no reply is a 5xx or shows the inside, and no record is written in part.',
    shown:
      'Sends 50,000 generated and damaged requests over REST and tRPC with ids of earlier replies, then checks the ledger, the events and list entries of every object, and every column that names another object.',
    command: 'npm run proof -- fuzz',
    tests: ['tooling/proof/src/fuzz/records.test.ts'],
  },
  {
    title: 'Money is neither lost nor doubled',
    promise:
      'Every entry of the journal sums to zero for each asset, no balance differs from its postings, no entry changes, and the list of transactions agrees with the journal.',
    shown:
      'Walks the whole ledger of the configured database. The service does the same every night; `/proof` shows the latest result.',
    command: 'npm run ledger-check',
    tests: [
      'packages/ledger/src/journal/check/check.test.ts',
      'packages/ledger/src/journal/check/nightly-check.test.ts',
      'packages/ledger/src/model.test.ts',
      'packages/ledger/src/concurrency.test.ts',
      'packages/ledger/src/crash.test.ts',
    ],
  },
  {
    title: 'A crash loses nothing and doubles nothing',
    promise:
      'Whatever process, database server or connection ends at whatever time: each acknowledged write is there, each effect at a provider happened once, each event arrives, and every object ends.',
    shown:
      'Works in every domain while gateway, worker, PostgreSQL and connections are killed at random, then compares what was acknowledged with the database, the providers, the receiver and the journal.',
    command: 'npm run proof -- crash',
    tests: ['tooling/proof/src/resilience/crash/effects.test.ts'],
  },
  {
    title: 'Nothing is paid twice, and operators know of every difference',
    promise:
      'Whatever a provider omits, repeats, reorders, delays, contradicts, or answers late, empty or not at all, and whenever a worker ends: no money is paid twice, none is unaccounted for, and where a provider’s books and ours differ, the object is on the list of operators.',
    shown:
      'Runs payment routes, checkout sessions, local fiat, cNGN and swaps in production against fakes of Relay, Paycrest, cNGN, Jupiter and Solana that lie within the documents of these providers, kills the worker meanwhile, and compares what the fakes really received, paid and refunded with the journal and the objects. Then the keys of other accounts of Paycrest and cNGN are set while objects are open: nothing of them changes, and they end with their own keys.',
    command: 'npm run proof -- providers',
    tests: [
      'packages/providers/relay/src/live.test.ts',
      'packages/providers/near-intents/src/live.test.ts',
      'packages/providers/paycrest/src/live.test.ts',
      'packages/providers/cngn/src/live.test.ts',
      'packages/providers/jupiter/src/live.test.ts',
      'packages/providers/relay/src/evidence.test.ts',
      'packages/providers/near-intents/src/evidence.test.ts',
      'packages/providers/cngn/src/evidence.test.ts',
    ],
  },
  {
    title: 'A database that was restored pays nothing twice',
    promise:
      'No process serves a database that was restored to an earlier point before it is reconciled. Orders that were waiting then, and requests that it has forgotten and merchants make again, are paid once; nobody is signed in, no deposit address and no number is given out a second time. Every organisation is told once which time was forgotten.',
    shown:
      'Sends payouts, many of them equal, restores the database to the point before (a copy; and from a base backup and the archive of the WAL, by the commands of `docs/operators/backup.md`), kills `npm run reconcile` and runs it again, repeats every request with its idempotency key, lets an operator settle what is held, and compares what the fake of cNGN paid with the requests, the objects and the journal.',
    command: 'npm run proof -- restore',
    tests: [
      'packages/providers/cngn/src/restore.test.ts',
      'services/maintenance/src/restore/dump.test.ts',
      'services/maintenance/src/restore/reconciliation.test.ts',
      'services/maintenance/src/commands.test.ts',
      'packages/platform/src/records/restores.test.ts',
    ],
  },
  {
    title: 'The loss of a database server loses no acknowledged write',
    promise:
      'On three PostgreSQL servers that Patroni keeps with the files of `deploy/patroni`, whatever happens to the primary, another one takes over by itself: every acknowledged write is stored, in the journal and among the events, a request that is repeated finds the same object, replies are successes that last or 503 with `Retry-After`, and no process has to be restarted. Half of the times without writes are at most 15 seconds. Without a majority nothing is acknowledged and no process is ready.',
    shown:
      'Runs two gateways and two workers under load on a machine with three servers, each with a network and a disk of its own; kills PostgreSQL, pauses the primary, cuts it off, takes its power, fills its disk and switches over, by the commands of `docs/operators/high-availability.md`; repeats every creation with its idempotency key after each; cuts two of the three off.',
    command: 'npm run proof -- availability',
    tests: ['services/gateway/src/standby.test.ts', 'services/gateway/src/readiness.test.ts'],
  },
  {
    title: 'Several processes act as one, and are replaced while they serve',
    promise:
      'Behind a load balancer that reads `/readyz`, a restart in turn and an upgrade with its migrations lose no request; limits and idempotency are exact over all processes, also behind PgBouncer in transaction mode.',
    shown:
      'Runs two gateways and two workers under load behind a proxy, upgrades them from the release before the last migration, beside a dump and with an older process that restarts, kills one of each, restarts all in turn, and checks the limits.',
    command: 'npm run proof -- cluster',
    tests: ['tooling/proof/src/resilience/cluster/pgbouncer.test.ts'],
  },
  {
    title: 'The service runs in production as its operators’ guide says',
    promise:
      'An operator who follows the guide from an empty Debian machine has the service in production; restarts, an upgrade, a rollback of the code and the rotation of every secret lose no request, and every setting works with another value than its default.',
    shown:
      'Reads the commands of `docs/operators` and runs them in a network and on files of their own, with Debian’s PostgreSQL, PgBouncer, HAProxy and Prometheus, a mail server with STARTTLS, and the providers’ fakes; a command that is not run is a finding.',
    command: 'npm run proof -- production',
    tests: ['tooling/proof/src/production/production.test.ts'],
  },
  {
    title: 'Every event arrives',
    promise:
      'An event reaches every endpoint that asked for it, at least once and signed, although receivers fail and workers are killed.',
    shown: 'Sends 10,000 events to 20 endpoints, some of them failing, and kills workers.',
    command: 'npm run proof -- events',
    tests: ['tooling/proof/src/resilience/events/events.test.ts', 'packages/webhooks/src/delivery.test.ts'],
  },
  {
    title: 'A webhook arrives at once',
    promise:
      'From a commit to the arrival at the merchant half of the webhooks take at most 20 ms and 99 of 100 at most 50 ms; at 500 events in a second 99 of 100 at most 250 ms. From money that a provider reports to the webhook about it half take at most 60 ms.',
    shown:
      'Measures these times in the sandbox, and the throughput of deliveries against a program that only signs, posts and writes a row for each.',
    command: 'npm run bench -- webhooks',
    tests: ['packages/platform/src/work/tasks.test.ts', 'packages/webhooks/src/deliveries/dispatcher.test.ts'],
  },
  {
    title: 'A neighbour that misbehaves in every domain fails nobody',
    promise:
      'Beside an organisation with the largest lists, the slowest receivers, the deepest bodies and thousands of open objects, nothing of ten others fails, and the p99 of each of their operations stays within three times what it is while that organisation misbehaves towards another installation on the same machine. Beside resource attacks no request fails, and the p99 stays within three times that beside the same attackers aimed at a server that does nothing.',
    shown:
      'Measures ten organisations in turn alone, beside that other installation, and beside it; then one beside the resource attacks.',
    command: 'npm run proof -- neighbours',
    tests: ['tooling/proof/src/neighbours/resources.test.ts', 'packages/webhooks/src/queue/fair-share.test.ts'],
  },
  {
    title: 'What a request costs is known',
    promise:
      'The throughput of each domain’s main reads and writes is measured against a server that does nothing but insert or read the same rows, and every id that was acknowledged is in the database. A ratio that has fallen by more than a tenth since it was recorded is a finding.',
    shown: 'Measures both in turn on the same database, one of its own for each write, and looks every id up.',
    command: 'npm run bench -- domains',
    tests: ['packages/api/src/lists.test.ts', 'packages/api/src/execute.test.ts'],
  },
  {
    title: 'Growth costs nothing',
    promise:
      'What a list, a lookup, a search of operators, a task or a scheduled job costs does not grow with the number of records: with a million in every table each takes at most 50 ms, or at most three times what it takes with a thousand. Lists that are complete by the specification cost as much as they return.',
    shown: 'Measures each with a thousand, ten thousand, a hundred thousand and a million records of one organisation.',
    command: 'npm run bench -- scaling',
    tests: ['packages/platform/src/records/counts.test.ts', 'packages/webhooks/src/long-queues.test.ts'],
  },
  {
    title: 'A worker keeps up with what is open',
    promise:
      'Beside a million open objects a worker and the database take at most a twentieth of a core while none is due. Where each is due once an hour, none is polled later than an hour after that.',
    shown:
      'Copies open payment routes, offramps and swaps, and measures an idle worker, polls of each kind where all are due, and an hour’s polls, with the sandbox’s providers.',
    command: 'npm run bench -- open',
    tests: ['packages/platform/src/work/polls.test.ts', 'packages/platform/src/work/turns.test.ts'],
  },
  {
    title: 'What a payment costs is known',
    promise:
      'The processor time of each process, of the database server, and the bytes of its write-ahead log are measured for a payment of each kind, from its creation to its last webhook.',
    shown:
      'Makes hundreds of payments of each kind with the sandbox’s providers, and takes off what idle processes need.',
    command: 'npm run bench -- payments',
    tests: ['packages/platform/src/transactions/commits/group.test.ts', 'packages/webhooks/src/delivery.test.ts'],
  },
  {
    title: 'One organisation pays as fast as many',
    promise:
      'Payouts of one organisation, 64 at once, which share its accounts for fees and for money outside, have at least 0.8 of the throughput of those of 64 organisations.',
    shown: 'Sends both in turn to one gateway, for as many customers.',
    command: 'npm run bench -- payouts',
    tests: ['packages/ledger/src/journal/post.test.ts'],
  },
  {
    title: 'The service starts in a moment',
    promise: 'Where it has run before, it serves at most 1.5 seconds after its start, the embedded database included.',
    shown: 'Starts it ten times, in turn with a program that does nothing.',
    command: 'npm run bench -- start',
    tests: ['services/gateway/src/start.test.ts', 'services/bundle/src/bundle.test.ts'],
  },
  {
    title: 'A process takes little memory, and no more with time',
    promise:
      'An idle process takes less than 180 MiB. A process that serves requests and runs the jobs keeps its memory: in the last quarter of an hour of mixed load it is at most a tenth above that of the second.',
    shown:
      'Starts a process of each role and reads its memory when it has been idle for ten seconds, then sends reads and writes of every domain for an hour, and reads the memory of the process after each part.',
    command: 'npm run bench -- memory',
    tests: ['services/gateway/src/memory.test.ts', 'packages/collections/src/pay/stream.test.ts'],
  },
  {
    title: 'The tests hold the rules',
    promise:
      'The command names every change to the code of the rules that no test notices and that is not explained: what writes a status, a posting, an amount, an access decision or HTML, what translates the words of a provider, idempotency and deliveries.',
    shown:
      'Changes that code in thousands of small ways, one at a time, and runs the tests that reach the change; fails for a change that no test notices and that `tooling/mutate/src/explained.ts` does not explain.',
    command: 'npm run mutate',
    tests: [
      'packages/kernel/src/access.test.ts',
      'packages/ledger/src/journal/entries.test.ts',
      'packages/api/src/execute.test.ts',
      'packages/api/src/states.test.ts',
      'packages/webhooks/src/claims.test.ts',
      'tooling/mutate/src/files.test.ts',
    ],
  },
  {
    title: 'A stolen thing reaches no more than it may',
    promise:
      'A person who holds a key, a token, a session, an invitation, a mailbox or an old code of another reaches what its owner could reach with it alone, nothing that needs a fresh code, nothing of another organisation, and nothing once it has ended.',
    shown:
      'Takes 10,000 random steps of users, of operators and of a thief who holds one stolen thing at a time, some of two users at the same time, half where everybody may register and half by invitation, and compares every answer, and regularly every row and email, with a model of users, roles, invitations, sessions, codes and keys.',
    command: 'npm run proof -- accounts',
    tests: [
      'packages/accounts/src/organisations/invitations.test.ts',
      'packages/accounts/src/signin/confirm.test.ts',
      'packages/accounts/src/organisations/membership.test.ts',
      'packages/accounts/src/sessions/sessions.test.ts',
      'packages/accounts/src/authentication/credentials.test.ts',
      'services/gateway/src/access.test.ts',
    ],
  },
  {
    title: 'Sign-in tells strangers nothing',
    promise: 'Response times for known and unknown credentials do not differ.',
    shown: 'Measures and compares them.',
    command: 'npm run proof -- sign-in',
    tests: ['tooling/proof/src/access/sign-in/compare.test.ts'],
  },
]
