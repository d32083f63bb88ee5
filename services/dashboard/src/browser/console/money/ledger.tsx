import { useMutation } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { Link, useLocation, useParams, useSearchParams } from 'wouter'
import { usePlace } from '../../context.ts'
import { words } from '../../parts/format.ts'
import { isId } from '../../parts/forms/checks.ts'
import { Amount, Empty, Failure, Screen, Status, Time } from '../../parts/parts.tsx'
import { Table } from '../../parts/table.tsx'
import { CommandLink, Environment, Organisation } from '../parts/facts.tsx'
import { Shown, useRead } from '../parts/reads.tsx'

/** How many lines of a statement are read at once. */
const PAGE = 200

/** The trial balance, and the check of the whole ledger. */
export function Ledger() {
  const { api } = usePlace()
  const [, navigate] = useLocation()
  const balance = useRead(['trial-balance'], () => api.admin.ledger.trialBalance.query({}))
  const open = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const id = String(new FormData(event.currentTarget).get('organisationId') ?? '').trim()
    if (id) navigate(`/ledger/accounts?organisationId=${encodeURIComponent(id)}`)
  }
  return (
    <Screen title="Ledger">
      <Check />
      <form className="search" onSubmit={open}>
        <input
          name="organisationId"
          type="search"
          aria-label="Organisation"
          placeholder="Id of an organisation: its accounts"
          required
        />
        <button type="submit">Show accounts</button>
      </form>
      <Shown of={balance}>
        {({ lines, balanced }) => (
          <section aria-label="Trial balance">
            <div className="head">
              <h2>Trial balance</h2>
              <span className={`status ${balanced ? 'good' : 'bad'}`}>{balanced ? 'balanced' : 'not balanced'}</span>
            </div>
            {lines.length === 0 && <p className="hint">Nothing was posted yet.</p>}
            <Table
              label="Balances by purpose"
              rows={lines}
              keyOf={({ environment, asset, purpose }) => `${environment} ${asset} ${purpose}`}
              columns={[
                { title: 'Environment', cell: ({ environment }) => <Environment of={environment} /> },
                { title: 'Purpose', cell: ({ purpose }) => words(purpose) },
                { title: 'Accounts', numeric: true, cell: ({ accounts }) => accounts.toLocaleString('en') },
                {
                  title: 'Balance',
                  numeric: true,
                  cell: ({ balance: units, asset }) => <Amount of={`${units} ${asset}`} />,
                },
              ]}
            />
          </section>
        )}
      </Shown>
    </Screen>
  )
}

/** Checks on demand that every balance follows from what happened. */
function Check() {
  const { api } = usePlace()
  const check = useMutation({ mutationFn: () => api.admin.ledger.check.query({}) })
  return (
    <section className="card" aria-label="Check of the ledger">
      <div className="head">
        <h2>Check of the ledger</h2>
        <button type="button" disabled={check.isPending} onClick={() => check.mutate()}>
          {check.isPending ? 'Checking …' : 'Check the ledger'}
        </button>
      </div>
      <p className="hint">
        Compares every balance, entry and transaction with what it follows from. It may take a while.
      </p>
      <Failure error={check.error} />
      {check.data && (
        <div role="status">
          <p>
            <Status of={check.data.ok ? 'verified' : 'failed'} />{' '}
            {Object.entries(check.data.walked)
              .map(([what, count]) => `${count.toLocaleString('en')} ${what}`)
              .join(', ')}
          </p>
          {check.data.findings.map((finding) => (
            <p key={`${finding.check} ${finding.id}`} className="failure">
              {words(finding.check)} <code>{finding.id}</code> {finding.message}
            </p>
          ))}
        </div>
      )}
    </section>
  )
}

/** The accounts of an organisation, or of one of its customers. */
export function Accounts() {
  const { api } = usePlace()
  const [search] = useSearchParams()
  const organisationId = search.get('organisationId') ?? ''
  const customerId = search.get('customerId') ?? ''
  const accounts = useRead(
    ['ledger-accounts', organisationId, customerId],
    () => api.admin.ledger.accounts.query({ organisationId, ...(customerId ? { customerId } : {}) }),
    { enabled: isId(organisationId) },
  )
  return (
    <Screen title="Ledger accounts">
      {!isId(organisationId) && (
        <Empty title="This is no id of an organisation">
          <Link href="/organisations">Find the organisation</Link>
        </Empty>
      )}
      {isId(organisationId) && (
        <>
          <p>
            Of organisation <Organisation id={organisationId} />
          </p>
          <Shown of={accounts}>
            {({ accounts: found }) =>
              found.length === 0 ? (
                <Empty title="It has no accounts yet">
                  <p>An account appears with its first posting.</p>
                </Empty>
              ) : (
                <Table
                  label="Accounts"
                  rows={found}
                  keyOf={({ id }) => id}
                  columns={[
                    {
                      title: 'Account',
                      cell: ({ id, purpose }) => <Link href={`/ledger/accounts/${id}`}>{words(purpose)}</Link>,
                    },
                    { title: 'Balance', cell: ({ balance, asset }) => <Amount of={`${balance} ${asset}`} /> },
                    { title: 'Environment', cell: ({ environment }) => <Environment of={environment} /> },
                    { title: 'Party', cell: ({ party }) => party || '–' },
                    { title: 'Customer', cell: (row) => (row.customerId ? <code>{row.customerId}</code> : '–') },
                  ]}
                />
              )
            }
          </Shown>
        </>
      )}
    </Screen>
  )
}

/** The statement of one account, newest first. */
export function Account() {
  const { id = '' } = useParams<{ id: string }>()
  const { api } = usePlace()
  const [search, setSearch] = useSearchParams()
  const before = search.get('before') ?? ''
  const statement = useRead(['statement', id, before], () =>
    api.admin.ledger.statement.query({ accountId: id, ...(before ? { before } : {}) }),
  )
  return (
    <Screen title="Statement">
      <Shown of={statement}>
        {({ account, lines }) => (
          <>
            <p className="main-amount">
              <Amount of={`${account.balance} ${account.asset}`} /> {words(account.purpose)}{' '}
              <Environment of={account.environment} />
            </p>
            <p>
              <Link href={`/ledger/accounts?organisationId=${account.organisationId}`}>All accounts</Link> of
              organisation <Organisation id={account.organisationId} />
            </p>
            {lines.length === 0 && <p className="hint">Nothing older.</p>}
            <Table
              label="Postings"
              rows={lines}
              keyOf={({ seq }) => seq}
              columns={[
                { title: 'Amount', cell: ({ amount }) => <Amount of={`${amount} ${account.asset}`} /> },
                {
                  title: 'Balance after',
                  cell: ({ balanceAfter }) => <Amount of={`${balanceAfter} ${account.asset}`} />,
                },
                {
                  title: 'For',
                  cell: ({ sourceType, sourceId, step }) => (
                    <Link href={`/search?text=${sourceId}`}>
                      {words(sourceType)}, {step}
                    </Link>
                  ),
                },
                { title: 'Memo', cell: ({ memo }) => <span className="why">{memo ?? '–'}</span> },
                { title: 'Posted', cell: ({ createdAt }) => <Time at={createdAt} precise /> },
                {
                  title: 'Action',
                  // Every other entry follows from the state of its object, which has commands of its own.
                  cell: ({ sourceType, entryId, reverses }) =>
                    sourceType === 'correction' && reverses === null ? (
                      <CommandLink
                        name="admin.ledger.reverse"
                        fields={{ organisationId: account.organisationId, environment: account.environment, entryId }}
                        label={`Reverse entry ${entryId}`}
                      >
                        Reverse
                      </CommandLink>
                    ) : (
                      '–'
                    ),
                },
              ]}
            />
            {lines.length === PAGE && (
              <button type="button" onClick={() => setSearch({ before: lines.at(-1)?.seq ?? '' })}>
                Show older
              </button>
            )}
          </>
        )}
      </Shown>
    </Screen>
  )
}
