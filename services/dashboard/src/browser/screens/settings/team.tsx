import { useMutation, useQuery } from '@tanstack/react-query'
import { Fragment, useState } from 'react'
import { clients, queries } from '../../api.ts'
import { usePlace } from '../../context.ts'
import { words } from '../../parts/format.ts'
import { ChangeButton, ChangeSelect } from '../../parts/forms/change.tsx'
import { emailCheck } from '../../parts/forms/checks.ts'
import { ConfirmedForm, Outcome } from '../../parts/forms/confirm.tsx'
import { Dialog, Failure, Screen, Skeleton, Status, Time } from '../../parts/parts.tsx'
import { ROLES, type Role, refusalOf } from '../../parts/rights.ts'
import { SettingsTabs } from './tabs.tsx'

const { auth } = clients.test

const KEY = ['team']
const renew = () => queries.invalidateQueries({ queryKey: KEY })

/** Who belongs to the organisation, and with which role. Members see why they cannot change it. */
export function Team() {
  const place = usePlace()
  const { me } = place
  const refused = refusalOf('auth.invite', place)
  const isRead = !refusalOf('auth.members', place) && !refusalOf('auth.invitations', place)
  const [inviting, setInviting] = useState(false)
  const { data, error, refetch } = useQuery({
    queryKey: KEY,
    async queryFn() {
      const [members, invitations] = await Promise.all([auth.members.query({}), auth.invitations.query({})])
      return { members: members.members, invitations: invitations.invitations }
    },
    enabled: isRead,
  })
  const open = data?.invitations.filter(({ status }) => status === 'pending') ?? []
  return (
    <Screen
      title="Team"
      actions={
        <ChangeButton calls="auth.invite" type="button" className="primary" onClick={() => setInviting(true)}>
          Invite
        </ChangeButton>
      }
    >
      <SettingsTabs />
      {refused && <p className="note">{refused}</p>}
      <Failure error={error} retry={() => void refetch()} />
      {isRead && !data && !error && <Skeleton />}
      {data && (
        <ul className="rows">
          {data.members.map((member) => (
            <MemberRow key={member.userId} of={member} isSelf={member.userId === me.user.id} />
          ))}
        </ul>
      )}
      {data && (
        <section aria-label="Roles">
          <h2>Roles</h2>
          <dl className="facts">
            {ROLES.map(([value, name, does]) => (
              <Fragment key={value}>
                <dt>{name}</dt>
                <dd>{does}</dd>
              </Fragment>
            ))}
          </dl>
        </section>
      )}
      {open.length > 0 && (
        <section aria-label="Invitations">
          <h2>Invitations</h2>
          <ul className="rows">
            {open.map((each) => (
              <InvitationRow key={each.id} of={each} />
            ))}
          </ul>
        </section>
      )}
      {inviting && <Invite close={() => setInviting(false)} />}
    </Screen>
  )
}

interface MemberRowProps {
  readonly of: { userId: string; email: string; fullName: string | null; role: string; createdAt: string }
  readonly isSelf: boolean
}

function MemberRow({ of: { userId, email, fullName, role, createdAt }, isSelf }: MemberRowProps) {
  const [removing, setRemoving] = useState(false)
  const change = useMutation({
    mutationFn: (next: Role) => auth.changeRole.mutate({ userId, role: next }),
    onSuccess: renew,
  })
  const remove = useMutation({
    mutationFn: () => auth.removeMember.mutate({ userId }),
    async onSuccess() {
      setRemoving(false)
      await renew()
    },
  })
  return (
    <li>
      <span>
        <strong>{fullName ?? email}</strong> {fullName && email} {isSelf && <span className="status">you</span>}
      </span>
      <span className="hint">
        Joined <Time at={createdAt} />
      </span>
      <span className="actions">
        <ChangeSelect
          calls="auth.changeRole"
          aria-label={`Role of ${email}`}
          value={role}
          disabled={isSelf || change.isPending || role === 'operator'}
          onChange={({ target }) => change.mutate(target.value as Role)}
        >
          {ROLES.map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
          {role === 'operator' && <option value="operator">Operator</option>}
        </ChangeSelect>
        <ChangeButton
          calls="auth.removeMember"
          type="button"
          aria-label={`Remove ${email}`}
          disabled={isSelf}
          onClick={() => setRemoving(true)}
        >
          Remove
        </ChangeButton>
      </span>
      {change.error && (
        <Outcome error={change.error} again={() => change.variables && change.mutate(change.variables)} />
      )}
      {removing && (
        <Dialog title={`Remove ${email}?`} close={() => setRemoving(false)}>
          <p>Their sessions in this organisation end at once. API keys keep working.</p>
          {remove.error && <Outcome error={remove.error} again={() => remove.mutate()} />}
          <ChangeButton
            calls="auth.removeMember"
            type="button"
            className="danger"
            disabled={remove.isPending}
            onClick={() => remove.mutate()}
          >
            Remove from the team
          </ChangeButton>
        </Dialog>
      )}
    </li>
  )
}

function InvitationRow({
  of: { id, email, role, status, expiresAt },
}: {
  of: { id: string; email: string; role: string; status: string; expiresAt: string }
}) {
  const revoke = useMutation({ mutationFn: () => auth.revokeInvitation.mutate({ invitationId: id }), onSuccess: renew })
  return (
    <li>
      <strong>{email}</strong>
      <span>{words(role)}</span>
      <Status of={status} />
      <span className="hint">
        Until <Time at={expiresAt} />
      </span>
      <ChangeButton
        calls="auth.revokeInvitation"
        type="button"
        aria-label={`Revoke the invitation of ${email}`}
        disabled={revoke.isPending}
        onClick={() => revoke.mutate()}
      >
        Revoke
      </ChangeButton>
      {revoke.error && <Outcome error={revoke.error} again={() => revoke.mutate()} />}
    </li>
  )
}

function Invite({ close }: { close: () => void }) {
  return (
    <Dialog title="Invite to the team" close={close}>
      <ConfirmedForm
        calls="auth.invite"
        label="Send invitation"
        submit={({ email = '', role = 'member' }) => auth.invite.mutate({ email: email.trim(), role: role as Role })}
        done={() => void renew().then(close)}
        fields={({ role = 'member' }) => [
          { name: 'email', label: 'Email address', type: 'email', check: emailCheck },
          {
            name: 'role',
            label: 'Role',
            hint: ROLES.find(([value]) => value === role)?.[2],
            options: ROLES.map(([value, name]) => [value, name] as const),
          },
        ]}
      />
    </Dialog>
  )
}
