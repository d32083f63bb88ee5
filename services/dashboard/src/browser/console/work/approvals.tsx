import type { Outputs } from '@payments/client'
import { Link, useSearchParams } from 'wouter'
import { usePlace } from '../../context.ts'
import { Empty, Screen, Status, Time } from '../../parts/parts.tsx'
import { CommandLink, Facts } from '../parts/facts.tsx'
import { Shown, useCommands, useRead } from '../parts/reads.tsx'
import { EffectList, meaningsOf } from './review.tsx'

const STATUSES = ['pending', 'approved', 'declined'] as const

/** Commands on money that wait for a second operator, and those that were decided. */
export function Approvals() {
  const { api } = usePlace()
  const [search] = useSearchParams()
  const status = STATUSES.find((each) => each === search.get('status')) ?? 'pending'
  const approvals = useRead(['approvals', status], () => api.admin.approvals.list.query({ status }))
  return (
    <Screen title="Approvals">
      <nav className="tabs" aria-label="By status">
        {STATUSES.map((each) => (
          <Link key={each} href={`/approvals?status=${each}`} aria-current={each === status ? 'page' : undefined}>
            {each.charAt(0).toUpperCase() + each.slice(1)}
          </Link>
        ))}
      </nav>
      <Shown of={approvals}>
        {({ approvals: found, total }) =>
          found.length === 0 ? (
            <Empty title={`Nothing is ${status}`}>
              <p>A command above an operator’s limit of a day waits here for another operator, for a day.</p>
            </Empty>
          ) : (
            <>
              {total > found.length && (
                <p className="hint">
                  The newest {found.length} of {total}
                </p>
              )}
              {found.map((each) => (
                <Approval key={each.id} of={each} />
              ))}
            </>
          )
        }
      </Shown>
    </Screen>
  )
}

type Each = Outputs['admin']['approvals']['list']['approvals'][number]

function Approval({ of }: { of: Each }) {
  const { me } = usePlace()
  const commands = useCommands()
  const { id, status, command, input, effects, reason, requestedBy, requestedByEmail, decidedByEmail } = of
  const definition = commands.data?.find(({ procedure }) => procedure.name === command)
  const title = definition?.summary ?? command
  const { reason: _reason, ...asked } = input
  const isOwn = requestedBy === me.user.id
  return (
    <section className="card" aria-label={`Approval ${id}`}>
      <div className="head">
        <h2>{title}</h2>
        <Status of={status} />
      </div>
      <p>
        <span className="hint">Reason</span> {reason}
      </p>
      <Facts of={asked} {...(definition ? { about: meaningsOf(definition) } : {})} />
      <EffectList of={effects} />
      <p className="hint">
        Requested by {requestedByEmail} at <Time at={of.createdAt} />
        {decidedByEmail && `, decided by ${decidedByEmail}`}
        {status === 'pending' && (
          <>
            , can be approved until <Time at={of.expiresAt} />
          </>
        )}
      </p>
      {status === 'pending' && (
        <div className="actions">
          {isOwn ? (
            <span className="hint">You requested it: another operator must approve it.</span>
          ) : (
            <CommandLink name="admin.approvals.approve" fields={{ approvalId: id }} label={`Approve: ${title}`}>
              Approve
            </CommandLink>
          )}
          <CommandLink name="admin.approvals.decline" fields={{ approvalId: id }} label={`Reject: ${title}`}>
            Reject
          </CommandLink>
        </div>
      )}
    </section>
  )
}
