/** A sentence of docs/security.md, and the tests that show it. */
export interface Defence {
  readonly promise: string
  /** Those that hold it, each `<file> › <group> › <name>`. */
  readonly tests: readonly string[]
}

/** What must not be possible to whom, and the tests that show it. */
export interface Attacker extends Defence {
  readonly who: string
  readonly has: string
}

const held = (promise: string, ...tests: readonly string[]): Defence => ({ promise, tests })

/** "Whom we expect". A promise that no test shows does not belong here. */
export const attackers: readonly Attacker[] = [
  {
    who: 'Stranger on the internet',
    has: 'nothing',
    promise:
      'sign in, learn which emails are known, lock an owner out, stop the service, use it to send emails or requests to others',
    tests: [
      'packages/accounts/src/signin/signin.test.ts › a code can be used once, and only for its own challenge',
      'packages/accounts/src/signin/signin.test.ts › a known and an unknown email address get the same reply, and only the known address receives an email',
      "packages/accounts/src/signin/wrong-codes.test.ts › strangers' requests and guesses keep the owner out of nothing where the owner signed in before",
      'packages/accounts/src/emails/send-limits.test.ts › a stranger can use up neither the codes of other addresses nor those that are reserved for the owner',
      'services/gateway/src/input.test.ts › no hostile body is answered with a 5xx, and the service answers others meanwhile',
      'services/gateway/src/slow-clients.test.ts › connections are limited per address and in total, and places become free when connections close',
      'packages/webhooks/src/endpoints/target.test.ts › a name that resolves differently the second time is rejected for good when connecting, and no connection is opened',
    ],
  },
  {
    who: 'Merchant',
    has: 'an organisation, keys, many requests',
    promise: 'see or change another organisation, slow others down, exceed its limits',
    tests: [
      "services/gateway/src/operations/operations.test.ts › … … › shows no record of another organisation or environment, nor one that isn't",
      'tooling/proof/src/neighbours/resources.test.ts › beside resource attacks no request of a well-behaved organisation fails, and every reply is right',
      'services/gateway/src/http/connections/connections.test.ts › one organisation cannot occupy all connections: beyond its bound it gets 429 with Retry-After, and others are served',
      'packages/webhooks/src/queue/fair-share.test.ts › the first delivery of an organisation is claimed by the next claim, whatever others have in flight and queued',
      'packages/ledger/src/payouts/payout-controls.test.ts › parallel payouts together never exceed the daily limit, and use all of it',
    ],
  },
  {
    who: 'Holder of a leaked API key',
    has: 'one key',
    promise:
      'create keys, change refund addresses, allowed payout destinations or by what payers know the organisation in live, exceed the daily limits of payouts and emails, use it from other addresses than it allows',
    tests: [
      'services/gateway/src/access.test.ts › admits and refuses exactly the callers that its access names: %s',
      'packages/routes/src/routes.test.ts › creating › five fields are enough in the sandbox; in live a route needs a refund address, which only an owner with a confirmed session sets',
      'packages/ledger/src/payouts/payout-controls.test.ts › the live allow-list is changed by an owner with a confirmed session only, and bad destinations are named',
      'packages/cngn/src/limits.test.ts › a live %s › counts against the daily limit before a later %s, which reserves nothing',
      'packages/branding/src/profile/identity.test.ts › in live only an owner with a confirmed session changes %s; in test a key does',
      'packages/collections/src/collections/invoices/sending.test.ts › a live organisation sends as many emails with invoices in a day as the setting says, also at the same time; others send theirs',
      'packages/accounts/src/keys/keys.test.ts › a key with allowed addresses works from those only, whatever their spelling',
    ],
  },
  {
    who: 'Holder of a stolen session',
    has: 'access and refresh token of one user',
    promise: "create live keys or owners without the user's mailbox, stay signed in unnoticed",
    tests: [
      'packages/accounts/src/signin/confirm.test.ts › a live key needs a sign-in or a confirmation of less than 10 minutes ago, a test key none',
      'packages/accounts/src/signin/confirm.test.ts › managing members and inviting anybody, leaving too, need a confirmed session',
      'packages/accounts/src/signin/wrong-codes.test.ts › a stolen session gets ten guesses at confirmations, and leaves other sessions of the user alone',
      'packages/accounts/src/sessions/sessions.test.ts › a spent token that is used again after 10 s revokes the session with its access tokens and its successor, in every process',
      'packages/accounts/src/sessions/session-list.test.ts › a user sees the device, address and last use of each session, and ends one or all others',
    ],
  },
  {
    who: 'Member of an organisation',
    has: 'a session as `member`',
    promise: 'manage members or live keys',
    tests: [
      'packages/accounts/src/keys/keys.test.ts › only an owner creates and revokes live keys; a member can create and revoke test keys only',
      'services/gateway/src/access.test.ts › admits and refuses exactly the callers that its access names: %s',
    ],
  },
  {
    who: 'Former member or operator',
    has: 'an old session, old invitations',
    promise: 'anything, from the next request on',
    tests: [
      'packages/accounts/src/organisations/membership.test.ts › an owner lists, promotes and removes members; it applies from their next request on',
      'packages/accounts/src/organisations/membership.test.ts › who was an owner when the request began and is none any more changes nothing; the service itself may',
      'packages/accounts/src/organisations/invitations.test.ts › an invitation ends with the right of its inviter: removed, demoted, left, or no operator any more',
      'packages/accounts/src/organisations/operators.test.ts › who is taken out of OPERATOR_EMAILS is no operator from the next request on, nor after a fresh sign-in',
    ],
  },
  {
    who: 'Reader of the database or a backup',
    has: 'all rows',
    promise: 'read webhook secrets, tokens, codes or stored secrets; sign webhooks; call the API',
    tests: [
      'services/gateway/src/secrets.test.ts › no secret is readable in the database, the logs or an error reply',
      'packages/accounts/src/signin/signin.test.ts › codes are stored as keyed hashes that differ between challenges',
      'packages/webhooks/src/endpoints.test.ts › the secret is shown on creation and rotation alone, and is encrypted at rest',
    ],
  },
  {
    who: 'Service process under foreign control',
    has: "the service's database role",
    promise: 'change or delete journal entries',
    tests: [
      'packages/ledger/src/database.test.ts › as the %s › %s is refused',
      'packages/ledger/src/database.test.ts › as the %s › a posted entry accepts no further postings',
      'packages/operators/src/audit-log.test.ts › the service’s role can neither change nor delete an entry',
    ],
  },
  {
    who: 'Provider or its impersonator',
    has: 'callbacks, answers',
    promise:
      'create a deposit that the chain does not have, have one counted twice, have anything signed but the swap itself',
    tests: [
      'packages/providers/relay/src/reports/callback.test.ts › an authentic callback moves the next poll of its route forward and writes nothing else',
      'packages/providers/paycrest/src/callback.test.ts › a callback only triggers a poll: what it says of amounts and status is not believed',
      'packages/providers/cngn/src/callback.test.ts › a signed callback triggers a poll, and nothing that it says is believed; an unsigned one triggers none',
      'packages/routes/src/deposits/reports.test.ts › a transaction under another request is the same deposit, in any order of its reports',
      'packages/providers/jupiter/src/reads.test.ts › a deposit counts once it is finalized, with the time of its block',
      'packages/providers/jupiter/src/transactions/instructions.test.ts › %s is refused before anything is signed',
    ],
  },
  {
    who: 'Another user of the same machine (embedded database)',
    has: '`/tmp`, the process list',
    promise: 'plant programs, read data or passwords',
    tests: [
      'packages/embedded-postgres/src/binaries/binaries-copy.test.ts › planted programs are not used: %s',
      'packages/embedded-postgres/src/binaries/binaries-copy.test.ts › a temporary folder in which others can replace files is refused',
      'packages/embedded-postgres/src/server/server.test.ts › data, passwords and log are private to the server and the service, even if an earlier version left them readable',
    ],
  },
]

/** "What is defended, and how", by topic. */
export const defended: readonly {
  readonly topic: string
  readonly note?: string
  readonly promises: readonly Defence[]
}[] = [
  {
    topic: 'Sign-in',
    promises: [
      held(
        'One-time codes of 6 digits from a CSPRNG: 10 minutes, one use, five tries.',
        'packages/accounts/src/signin/signin.test.ts › codes, tokens and keys do not come from Math.random',
        'packages/accounts/src/signin/signin.test.ts › an expired code is refused',
        'packages/accounts/src/signin/signin.test.ts › a code can be used once, and only for its own challenge',
        'packages/accounts/src/signin/signin.test.ts › a challenge allows five tries over all processes, and wrong tries on one challenge do not count on another',
      ),
      held(
        'After ten wrong codes a day for one account, further ones from unknown places have to wait, and the owner is told; whatever a sign-in request sends, it counts against its address.',
        'packages/accounts/src/signin/wrong-codes.test.ts › 100 guesses an hour at one account are slowed down, raise the alarm and warn its owner once',
        "packages/accounts/src/signin/wrong-codes.test.ts › strangers' requests and guesses keep the owner out of nothing where the owner signed in before",
        'services/gateway/src/limits.test.ts › sign-in requests count against the client address, whatever session they send, of however many, active or ended',
      ),
      held(
        'Emails are limited by emails sent, with a part reserved for client addresses from which the user signed in.',
        'packages/accounts/src/emails/send-limits.test.ts › a stranger can use up neither the codes of other addresses nor those that are reserved for the owner',
        'packages/accounts/src/emails/send-limits.test.ts › an address of more than 90 days ago has no reserved codes',
      ),
      held(
        'Replies do not differ between known and unknown email addresses.',
        'packages/accounts/src/signin/signin.test.ts › a known and an unknown email address get the same reply, and only the known address receives an email',
        'packages/accounts/src/emails/send-limits.test.ts › a known and an unknown address reach the same limit from a stranger',
      ),
    ],
  },
  {
    topic: 'Sessions',
    promises: [
      held(
        'Access tokens live 15 minutes, EdDSA only, in one spelling only.',
        'packages/accounts/src/sessions/tokens.test.ts › an access token is an EdDSA JWT with the documented claims, valid for 15 minutes, with its key in the JWKS',
        'packages/accounts/src/sessions/tokens.test.ts › the header of a token cannot choose the algorithm or supply a key',
        'packages/accounts/src/sessions/tokens.test.ts › expired, not yet valid, foreign, incomplete and altered tokens are refused with the same reply',
      ),
      held(
        'Role, membership and revocation are read from the database with every request.',
        'packages/accounts/src/sessions/sessions.test.ts › the role is read from the membership, not from the token',
        'packages/accounts/src/sessions/sessions.test.ts › after a logout every process refuses the access token from the next request on',
        'packages/accounts/src/organisations/membership.test.ts › an owner lists, promotes and removes members; it applies from their next request on',
      ),
      held(
        'A refresh token that is used twice ends its session.',
        'packages/accounts/src/sessions/sessions.test.ts › a spent token that is used again after 10 s revokes the session with its access tokens and its successor, in every process',
        'packages/accounts/src/sessions/sessions.test.ts › a refresh token that was spent three rotations ago also revokes the session',
      ),
      held(
        'A user sees the sessions with device, address and last use, and ends them.',
        'packages/accounts/src/sessions/session-list.test.ts › a user sees the device, address and last use of each session, and ends one or all others',
      ),
    ],
  },
  {
    topic: 'Step-up',
    promises: [
      held(
        'Live keys, owners, members, live refund addresses, payout destinations, and the names, support address and links that payers see in live need a code of less than 10 minutes ago; all owners are told of the latter.',
        'packages/accounts/src/signin/confirm.test.ts › a live key needs a sign-in or a confirmation of less than 10 minutes ago, a test key none',
        'packages/accounts/src/signin/confirm.test.ts › managing members and inviting anybody, leaving too, need a confirmed session',
        'packages/accounts/src/signin/confirm.test.ts › refreshing a session and changing the organisation confirm nothing',
        'packages/routes/src/routes.test.ts › creating › five fields are enough in the sandbox; in live a route needs a refund address, which only an owner with a confirmed session sets',
        'packages/ledger/src/payouts/payout-controls.test.ts › the live allow-list is changed by an owner with a confirmed session only, and bad destinations are named',
        'packages/branding/src/profile/identity.test.ts › in live only an owner with a confirmed session changes %s; in test a key does',
        'packages/branding/src/profile/identity.test.ts › all owners are told of a change of what payers see in live, by an email and in the app, and nobody of a colour',
      ),
    ],
  },
  {
    topic: 'API keys',
    promises: [
      held(
        'Stored as digests, compared in constant time, bound to an environment, optionally to addresses and an expiry; 100 per organisation.',
        'packages/accounts/src/keys/keys.test.ts › a key has the specified format, is shown once, listed masked and stored as a digest',
        'packages/accounts/src/keys/keys.test.ts › a key with allowed addresses works from those only, whatever their spelling',
        'packages/accounts/src/keys/keys.test.ts › a key is refused after its expiry, which must be in the future when the key is created',
        'packages/accounts/src/keys/keys.test.ts › an organisation has at most 100 active keys, also in parallel and over all processes',
        'packages/accounts/src/comparison.test.ts › a key is compared once, in constant time, whether its lookup part is known, unknown or of an inactive key',
        'packages/accounts/src/authentication/credentials.test.ts › a key acts in its own environment, with its effective scopes',
      ),
      held(
        'A program receives one when its user has typed the code that the program shows: no link contains it, and no screen repeats it.',
        'packages/accounts/src/signin/device.test.ts › no link carries the code, and nothing is found, allowed or refused without all of it, whatever a program chose',
        'tooling/acceptance/src/browser/dashboard-developers.test.ts › engineers in the dashboard › an engineer signs the command line in by typing its code and choosing what its key may do, refuses another one, and revokes the key; no link fills the code in',
      ),
      held(
        'They cannot create keys.',
        'services/gateway/src/access.test.ts › admits and refuses exactly the callers that its access names: %s',
      ),
    ],
  },
  {
    topic: 'Operators',
    promises: [
      held(
        'Only the users in `OPERATOR_EMAILS`, compared with every request.',
        'packages/accounts/src/organisations/operators.test.ts › who is taken out of OPERATOR_EMAILS is no operator from the next request on, nor after a fresh sign-in',
        "packages/accounts/src/organisations/operators.test.ts › an operator's invitation makes nobody an operator, and the members of the operators' organisation cannot be changed",
      ),
    ],
  },
  {
    topic: 'Internal tokens',
    promises: [
      held(
        'Stored as digests; a year at most; limited to listed procedures of operators over tRPC, never one that moves money.',
        'packages/accounts/src/keys/internal-tokens.test.ts › a token is shown once and stored as a digest, and needs a confirmed session',
        'packages/accounts/src/keys/internal-tokens.test.ts › a token names procedures of operators only, none that moves money, and lasts a year at most',
        'packages/accounts/src/keys/internal-tokens.test.ts › a token calls what it lists over tRPC, and nothing else in the whole router',
        'packages/accounts/src/keys/internal-tokens.test.ts › what moves money is refused whatever a token lists, and a token cannot make or end tokens',
      ),
      held(
        "They end with their creator's role.",
        'packages/accounts/src/keys/internal-tokens.test.ts › a token ends when it is revoked, expires, or its creator is no operator any more',
      ),
    ],
  },
  {
    topic: "The operators' command line",
    promises: [
      held(
        'The session is in a file that only its user can read, one for each service, and is sent over HTTPS or to the same machine only.',
        'services/ops/src/ops.test.ts › the session is kept in a file that only its user can read, and only for its own service',
      ),
      held(
        'Text of others cannot control the terminal.',
        'services/ops/src/ops.test.ts › a list is an aligned table for people, and clean JSON for programs',
      ),
    ],
  },
  {
    topic: 'Tenancy',
    promises: [
      held(
        "Organisation and environment are part of every foreign key between rows of organisations, and of the ORM's default filter; a foreign id is answered like an unknown one.",
        'packages/api/src/tenancy.test.ts › a foreign key between rows of organisations includes the organisation, and the environment where both have one',
        'packages/customers/src/customers.test.ts › an entity manager without a tenant throws instead of reading all rows',
        "services/gateway/src/operations/operations.test.ts › … … › shows no record of another organisation or environment, nor one that isn't",
      ),
    ],
  },
  {
    topic: 'Money',
    promises: [
      held(
        'Integers; one writer of each status; every change, its entry, its event and its jobs in one transaction; balances checked by the database itself.',
        'packages/platform/src/transactions/lifecycle.test.ts › the database lets … begin in the initial state only, and move along the edges only',
        'packages/platform/src/transactions/unit.test.ts › the changes of a handler and its event commit together',
        'packages/platform/src/transactions/unit.test.ts › a connection that is terminated at any point of a unit before its commit leaves no change',
        'packages/ledger/src/database.test.ts › as the %s › postings that do not sum to zero are refused',
        'packages/ledger/src/database.test.ts › as the %s › a balance below zero is refused for an account that may not be overdrawn',
        'packages/kernel/src/money/money.test.ts › minor units are unchanged after conversion to decimal text and back, for every asset and size',
        'packages/kernel/src/money/money.test.ts › decimal text with more decimals than the asset has is refused, never rounded',
      ),
      held(
        "The service's role cannot change journal rows.",
        'packages/ledger/src/database.test.ts › as the %s › %s is refused',
      ),
      held(
        '[Payout controls](decisions/payout-controls.md) bound what a leaked key sends away.',
        'packages/ledger/src/payouts/payout-controls.test.ts › parallel payouts together never exceed the daily limit, and use all of it',
        'packages/ledger/src/payouts/payout-controls.test.ts › with an allow-list, live payouts go to its destinations only, whatever the spelling of the address',
        'packages/cngn/src/limits.test.ts › a live %s › counts against the daily limit before a later %s, which reserves nothing',
        'packages/cngn/src/limits.test.ts › a live %s › that failed gives its money and its part of the daily limit back once, however often it is told',
      ),
    ],
  },
  {
    topic: 'Keys of swaps',
    promises: [
      held(
        'Derived from `SWAP_SEED` in workers, never stored, logged or sent; a gateway uses none.',
        'packages/swaps/src/addresses/addresses.test.ts › keys are derived as SLIP-0010 says: as a library does whose own first test vector is that of the standard',
        'packages/swaps/src/addresses/addresses.test.ts › the seed is in no table and in no line of the log',
        'packages/swaps/src/addresses/addresses.test.ts › a worker keeps addresses ready for gateways, which use no seed and answer 503 while there is none',
        'packages/providers/jupiter/src/swaps.test.ts › no key is in a log line or a table',
      ),
      held(
        '[What is signed](decisions/jupiter.md) is checked instruction by instruction, and what was signed elsewhere is found on the chain.',
        'packages/providers/jupiter/src/transactions/instructions.test.ts › %s is refused before anything is signed',
        'packages/providers/jupiter/src/swaps.test.ts › malicious instructions move nothing, and honest ones afterwards complete the swap',
        'packages/providers/jupiter/src/theft.test.ts › a transaction that was signed elsewhere is found at the address that it emptied and at the fee payer',
      ),
    ],
  },
  {
    topic: 'Secrets at rest',
    promises: [
      held(
        'AES-256-GCM with [several keys](decisions/secrets.md); fingerprints compared at the start.',
        'packages/platform/src/settings/secrets.test.ts › an encrypted secret can be decrypted only with the same key and context, and only if it was not altered',
        'packages/platform/src/settings/secrets.test.ts › the first key encrypts, every key decrypts and finds fingerprints, and a key that is missing is named',
        'services/maintenance/src/re-encrypt.test.ts › while data needs a key that is not configured, nothing starts and nothing is re-encrypted',
      ),
    ],
  },
  {
    topic: 'BVNs',
    promises: [
      held(
        'Encrypted until the result of the verification, a day at most; then a keyed hash and two digits.',
        'packages/cngn/src/customers/enablement.test.ts › the consent and the end of the number are kept, the identity only until the result',
        'packages/cngn/src/customers/enablement.test.ts › a register that does not answer is asked again, and after a day the verification fails and the identity is deleted',
      ),
      held(
        'Never in a log, an event, a job or an error.',
        'packages/cngn/src/canary.test.ts › a BVN is readable nowhere: no table, log, event, job, error reply or file has it, before the result and after it',
      ),
    ],
  },
  {
    topic: 'Webhooks',
    promises: [
      held(
        'HTTPS to public addresses only, checked on every connection, with the connection pinned to the checked address; signed.',
        'packages/webhooks/src/endpoints/target.test.ts › all … spellings of a target that is not public are rejected, and none is connected to',
        'packages/webhooks/src/endpoints/target.test.ts › a URL that is not plain HTTPS is rejected',
        'packages/webhooks/src/endpoints/target.test.ts › a name that resolves differently the second time is rejected for good when connecting, and no connection is opened',
        'packages/webhooks/src/endpoints/target.test.ts › an address that was stored before it was forbidden is rejected at the attempt, and no connection is opened',
        'packages/webhooks/src/receiver.test.ts › a guarded connection goes to the address that was checked, and its certificate must carry the name',
        'packages/webhooks/src/receiver.test.ts › the published receivers accept current and overlapping secrets, and nothing tampered, stale or truncated',
      ),
    ],
  },
  {
    topic: 'Input',
    promises: [
      held(
        'Strict schemas, bounded sizes, names without control and bidirectional characters; names that another person reads (of organisations, brands, people, programs and keys) with one alphabet in each word, and neither they nor what is sold imitate known names.',
        'services/gateway/src/operations/operations.test.ts › … … › refuses an unknown field by name',
        'services/gateway/src/openapi/document.test.ts › the document for %s › limits every text, list and number that a client can send in a body',
        'services/gateway/src/input.test.ts › the same text is refused over REST and tRPC, with the field › %s',
        'packages/accounts/src/organisations/invitations.test.ts › a name with line breaks, control or bidirectional characters or a link is refused by name',
        'packages/accounts/src/organisations/organisation-names.test.ts › letters of several alphabets in the name of an organisation are refused with the field',
        'packages/kernel/src/inputs/names.test.ts › a brand in letters that only look like its own is refused, in every way of writing them',
        'packages/api/src/names.test.ts › no name that another person reads imitates a known one: every field of every operation refuses it, or is listed with the reason',
        'packages/api/src/names.test.ts › "РayРal" is no name that payers see in %s, of an organisation, of a collection or of what it sells',
      ),
      held(
        'Images are refused by their headers before they are unpacked, and decoded in a thread with a deadline; documents are made in threads, one of an organisation at a time.',
        'packages/branding/src/logos/logo.test.ts › %s is refused by its headers, on the field, and is not unpacked',
        'services/gateway/src/memory.test.ts › what makes documents and decodes images is loaded in threads alone, never where requests are answered',
        'packages/threads/src/pool.test.ts › a job that never ends is ended at its deadline, the event loop runs on meanwhile, and the next job has a new thread',
        'packages/threads/src/pool.test.ts › a job that takes more memory than a thread may have ends that thread alone',
        'packages/collections/src/pay/receipts/cost.test.ts › while the documents of one organisation are made, every other request is answered, its receipts are refused as busy, and those of others come in turn',
      ),
      held(
        'A verified domain is looked at every week, and loses its mark when its record is gone twice.',
        'packages/branding/src/domain/verification.test.ts › a domain whose record is gone twice in a row, a day apart, is no longer verified, and the merchant is told both times',
        'packages/branding/src/domain/verification.test.ts › a record that is back at the second look, and name servers that do not answer, end nothing',
      ),
      held(
        'Emails show names of strangers without links.',
        'packages/accounts/src/organisations/invitations.test.ts › an invitation shows the name of the organisation in one line and without links, whatever it is',
      ),
      held(
        'The pay page shows every text of a merchant, payer or provider as text.',
        'packages/pay-page/src/escaping.test.ts › %s › in any text of the data is text on the screen %s (%i)',
        'packages/pay-page/src/escaping.test.ts › the state of a page ends with its element, whatever the data holds, and its colours hold nothing of the data',
        'packages/pay-page/src/pay-page.test.ts › a merchant’s page that is not at an https address is no link',
      ),
    ],
  },
  {
    topic: 'Transport',
    promises: [
      held(
        'In production only HTTPS is answered, and codes are sent over encrypted SMTP only (`smtps://`, or `smtp://` with STARTTLS).',
        'services/gateway/src/start.test.ts › a production process opens its public port, is ready only then, answers nothing but its health without HTTPS, and its links begin with BASE_URL',
        'packages/accounts/src/signin/signin.test.ts › in production a code is never sent over an unencrypted connection, and the health page shows the name of the installation',
        'services/gateway/src/settings.test.ts › in production SMTP_URL has no options, because some switch encryption off',
      ),
    ],
  },
  {
    topic: 'Embedded database',
    note: 'development',
    promises: [
      held(
        "A socket that only its user can reach, and loopback with a password; an own user, an environment without the service's variables; copied programs are used only if no other user can have changed them; data, passwords and log are private.",
        'packages/embedded-postgres/src/server/server.test.ts › the server listens on its socket and on loopback alone, asks for a password on both, and runs as a user of its own',
        'packages/embedded-postgres/src/server/server.test.ts › the service sends its password only through a socket that no other user can reach: %s',
        'packages/embedded-postgres/src/server/server.test.ts › a folder for the socket that another user made first is refused',
        "packages/embedded-postgres/src/server/server.test.ts › the server's processes inherit no environment variable of the service, whose environment contains secrets",
        'packages/embedded-postgres/src/server/server.test.ts › data, passwords and log are private to the server and the service, even if an earlier version left them readable',
        'packages/embedded-postgres/src/binaries/binaries-copy.test.ts › planted programs are not used: %s',
        'packages/embedded-postgres/src/binaries/binaries-copy.test.ts › planted programs are not used: a link in the place of the folder',
        'packages/embedded-postgres/src/binaries/binaries-copy.test.ts › a copy is readable by every user and writable by its owner only',
      ),
    ],
  },
  {
    topic: 'Personal data',
    promises: [
      held(
        '`POST /v1/customers/{customerId}/anonymise` erases it and keeps the ledger; orders and virtual accounts keep the names and bank accounts that were paid, as the records of these payments; invoices keep number and amounts.',
        'packages/customers/src/customers.test.ts › anonymising erases the personal data everywhere, keeps the transactions, and cannot be undone',
        'packages/fiat/src/orders/anonymise.test.ts › anonymising a customer erases the holder of their own accounts from orders, list, events, replies and bank answers; whom they paid stays',
        'packages/collections/src/collections/invoices/facturx.test.ts › a customer who is anonymised is taken out of the invoices that were issued to them, whose number and amounts stay',
        'packages/cngn/src/customers/anonymise.test.ts › anonymising a customer erases the name from account, payins, own payouts, list, events and replies; amounts stay',
      ),
      held(
        '`RETENTION_*_DAYS` purge deliveries, events, notifications and sessions.',
        'packages/webhooks/src/purge.test.ts › old deliveries that ended and old events without deliveries are deleted; what must still be sent stays',
        'packages/notifications/src/notifications.test.ts › notifications are deleted after the configured time, read or not',
        'packages/accounts/src/sessions/sessions.test.ts › scheduled purges delete only ended sessions and counters whose window has ended',
      ),
      held(
        'The request log keeps no field that is marked as a secret or personal, nor titles, descriptions and addresses of webhooks; erasing a customer empties the requests about everything of theirs.',
        'packages/requests/src/requests.test.ts › an address with a token, and what is written for a payer, are in no body of the log, whether the request succeeds or not',
        'packages/requests/src/requests.test.ts › erasing a customer empties the requests about everything of theirs: no title, description, item or name of a route says who they were',
        'services/gateway/src/requests/redaction.test.ts › $name › the log keeps no secret and no personal data of its examples, in success and in failure',
      ),
      held(
        'Log lines hold no bodies, keys or, with a mail server, codes; your log collector decides how long they are kept.',
        'services/gateway/src/secrets.test.ts › no secret is readable in the database, the logs or an error reply',
        'packages/accounts/src/signin/signin.test.ts › an email is sent over SMTP with a plain and an HTML part, and its code is not logged',
        'services/gateway/src/input.test.ts › a secret in a path is not logged, in whatever pieces',
        'services/gateway/src/requests/request-log.test.ts › each request with an organisation is one row, with its outcome and without secrets and personal data',
      ),
    ],
  },
]
