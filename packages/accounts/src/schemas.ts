import {
  count,
  createdAt,
  environments,
  givenTime,
  id,
  items,
  memberRoles,
  nameText,
  pathId,
  personal,
  secret,
  shownName,
  shownText,
  text,
  time,
  total,
  updatedAt,
} from '@payments/kernel'
import { holdingGroups } from '@payments/platform'
import { z } from 'zod'
import { isAddressRange } from './rules/allowed-ips.ts'

const [ORGANISATION, USER, SESSION, INVITATION, API_KEY, CHALLENGE, MEMBER, INTERNAL_TOKEN] = [1, 2, 3, 4, 5, 6, 7, 8]

const Email = personal(z.email().max(254).meta({ description: 'Email address', example: 'ada@example.com' }))
const ShownEmail = personal(text('Email address', 'ada@example.com'))
const FullName = personal(text('Name of the user', 'Ada Obi').nullable())
const Role = z.enum([...memberRoles, 'operator']).meta({ description: 'What the user may do' })
const Environment = z.enum(environments).meta({ description: 'Environment' })
const CodeText = secret(
  z
    .string()
    .regex(/^\d{6}$/, 'Must be 6 digits')
    .meta({ description: 'The emailed code', example: '123456' }),
)

export const Register = z.strictObject({
  email: Email,
  organisationName: shownName(120).meta({ description: 'Name of the new organisation', example: 'Ada Ltd' }),
  fullName: personal(shownName(120).optional().meta({ description: 'Name of the user', example: 'Ada Obi' })),
  timeZone: z
    .string()
    .max(64)
    .meta({
      description: 'IANA name of the time zone of the organisation; UTC where it is absent or unknown',
      example: 'Africa/Lagos',
    })
    .optional(),
})
export const Login = z.strictObject({ email: Email })
export const Challenge = z
  .object({ challengeId: id('challenge', CHALLENGE), otpExpiresAt: time('When the emailed code expires') })
  .meta({ id: 'Challenge', description: 'A code was emailed; verify it with this id' })

const ChallengeId = z
  .string()
  .max(64)
  .meta({ description: 'Id of the challenge', example: '01936f2a-7c1e-7000-8000-000000000006' })
export const Resend = z.strictObject({ challengeId: ChallengeId })

export const Verify = z.strictObject({
  challengeId: ChallengeId,
  code: CodeText,
  organisationId: id('organisation to sign in to; default: the one used last', ORGANISATION).optional(),
  invitationId: id(
    'invitation to accept. A user without an organisation joins by verifying a code: this invitation, or else the newest',
    INVITATION,
  ).optional(),
})
const User = z
  .object({ id: id('user', USER), email: ShownEmail, fullName: FullName })
  .meta({ id: 'User', description: 'A person who signs in' })
const Organisation = z
  .object({ id: id('organisation', ORGANISATION), name: text('Name of the organisation', 'Ada Ltd'), role: Role })
  .meta({ id: 'Organisation', description: 'An organisation of the user' })
export const Tokens = z
  .object({
    accessToken: secret(
      text('Access token for the header `Authorization: Bearer …`', 'eyJhbGciOiJFZERTQSJ9.e30.c2lnbmF0dXJl'),
    ),
    tokenType: z.literal('Bearer').meta({ description: 'Always `Bearer`' }),
    expiresIn: count('Seconds until the access token expires', 900),
    refreshToken: secret(text('Exchange it once for a new pair', 'Zm9yIHRoZSByZWZlcmVuY2Ugb25seQ')),
    user: User,
    organisation: Organisation,
  })
  .meta({ id: 'Tokens', description: 'A signed-in session' })
const OwnOrganisation = Organisation.extend({
  invitedBy: personal(
    text('Email address of the member whose invitation the user accepted', 'grace@example.com').nullable(),
  ),
  suspendedAt: time(
    'Since when operators have it suspended: it can be read, and keys and sessions can be revoked; null otherwise',
  ).nullable(),
  timeZone: text('IANA name of the time zone in which its days begin and end', 'Africa/Lagos'),
}).meta({ id: 'OwnOrganisation', description: 'An organisation of the user, who invited the user, and its state' })
export const Me = z
  .object({
    user: User,
    organisation: OwnOrganisation,
    organisations: items('All organisations of the user', OwnOrganisation),
    environment: Environment,
    unavailable: items(
      'What no provider serves at present, by environment',
      z
        .object({
          environment: Environment,
          capability: text('What the providers are for: `routes`, `swaps`, `fiat`, `cngn`, `identity`', 'swaps'),
          message: text('The message of the 503', 'Swaps are not available in the live environment'),
        })
        .meta({ id: 'UnavailableCapability', description: 'What an environment lacks' }),
    ),
  })
  .meta({ id: 'Me', description: 'The user and organisation of this session' })

export const Confirm = z.strictObject({
  code: CodeText.optional().meta({
    description: 'The emailed code; without it, a fresh one is emailed',
    example: '123456',
  }),
})
export const Confirmation = z
  .object({
    confirmedUntil: time('Until when the session is confirmed; null while the code is missing').nullable(),
    otpExpiresAt: time('When the emailed code expires; null once the session is confirmed').nullable(),
  })
  .meta({ id: 'Confirmation', description: 'Whether the session is confirmed' })
export const ChangeEmail = z
  .strictObject({
    email: Email.meta({ description: 'The new email address', example: 'ada.obi@example.com' }),
    currentCode: CodeText.optional().meta({ description: 'The code sent to the present address', example: '123456' }),
    newCode: CodeText.optional().meta({ description: 'The code sent to the new address', example: '123456' }),
  })
  .superRefine(({ currentCode, newCode }, context) => {
    const missing = currentCode === undefined ? 'currentCode' : 'newCode'
    if ((currentCode === undefined) !== (newCode === undefined))
      context.addIssue({ code: 'custom', path: [missing], message: 'Both codes are needed' })
  })
export const EmailChange = z
  .object({
    email: personal(text("The user's address now", 'ada.obi@example.com')),
    otpExpiresAt: time('When the two codes expire; null once the address has changed').nullable(),
  })
  .meta({ id: 'EmailChange', description: 'State of a change of email address' })

const MemberRole = z.enum(memberRoles).meta({
  description:
    'Every role reads. `finance` creates and changes what moves money; `developer` manages test keys and webhook endpoints; `member` does both; `owner` also manages members, live keys and what is for owners in live; `viewer` only reads',
  example: 'member',
})
export const Member = z
  .object({
    userId: id('user', MEMBER),
    email: personal(text('Email address', 'grace@example.com')),
    fullName: personal(text('Name of the user', 'Grace Eze').nullable()),
    role: Role,
    createdAt: time('When the user joined'),
  })
  .meta({ id: 'Member', description: 'A user who belongs to the organisation' })
export const MemberList = z.object({ members: items('The members', Member), total })
export const MemberId = z.strictObject({ userId: pathId('user', MEMBER) })
export const MemberPatch = MemberId.extend({ role: MemberRole })

export const SessionId = z.strictObject({ sessionId: pathId('session', SESSION) })
const Session = z
  .object({
    id: id('session', SESSION),
    organisationId: id('organisation', ORGANISATION),
    current: z.boolean().meta({ description: 'The session of this request' }),
    device: personal(text('The browser or program, as it names itself', 'Mozilla/5.0').nullable()),
    address: personal(text('The client address of the last sign-in or refresh', '192.0.2.10').nullable()),
    lastUsedAt: time('When it was last used').nullable(),
    expiresAt: time('When it ends unless it is refreshed'),
    createdAt,
  })
  .meta({ id: 'Session', description: 'A signed-in session of the user' })
export const SessionList = z.object({ sessions: items('The newest 200 sessions', Session), total })
export const EndedOthers = z
  .object({ ended: count('Number of sessions that were ended') })
  .meta({ id: 'EndedSessions', description: 'All other sessions were ended' })

export const Refresh = z.strictObject({
  refreshToken: secret(
    z
      .string()
      .min(1)
      .max(128)
      .meta({ description: 'The refresh token of the last pair', example: 'Zm9yIHRoZSByZWZlcmVuY2Ugb25seQ' }),
  ),
})
export const OrganisationPatch = z.strictObject({
  timeZone: z
    .string()
    .max(64)
    .meta({
      description:
        'IANA name of the time zone of reports, statements, exports, documents and emails, as the database knows it',
      example: 'Africa/Lagos',
    })
    .optional(),
})
export const OrganisationProfile = z
  .object({
    id: id('organisation', ORGANISATION),
    name: text('Name of the organisation', 'Ada Ltd'),
    timeZone: text('IANA name of its time zone', 'Africa/Lagos'),
  })
  .meta({ id: 'OrganisationProfile', description: 'What an owner can change of the organisation' })
export const Switch = z.strictObject({ organisationId: id('organisation to switch to', ORGANISATION) })
export const EndedSession = z
  .object({ sessionId: id('session', SESSION), endedAt: time('When it was ended') })
  .meta({ id: 'EndedSession', description: 'A session that was ended' })

export const NewInvitation = z.strictObject({
  email: Email.meta({ description: 'Email address of the person', example: 'grace@example.com' }),
  role: MemberRole,
})
export const Invitation = z
  .object({
    id: id('invitation', INVITATION),
    email: personal(text('Email address of the person', 'grace@example.com')),
    role: MemberRole,
    status: z.enum(['pending', 'accepted', 'declined', 'revoked', 'expired']).meta({
      description: 'State of the invitation; `revoked` also when its inviter lost the right to invite',
      example: 'pending',
    }),
    expiresAt: time('When it expires'),
    createdAt,
  })
  .meta({ id: 'Invitation', description: 'An invitation to join the organisation' })
export const InvitationId = z.strictObject({ invitationId: pathId('invitation', INVITATION) })
const ReceivedInvitation = z
  .object({
    id: id('invitation', INVITATION),
    organisationName: text('Name of the organisation', 'Ada Ltd'),
    invitedBy: personal(text('Email address of the member who invites', 'ada@example.com').nullable()),
    role: MemberRole,
    expiresAt: time('When it expires'),
  })
  .meta({ id: 'ReceivedInvitation', description: 'An invitation that the user may accept or decline' })
export const ReceivedInvitationList = z.object({
  invitations: items('The invitations that can be answered', ReceivedInvitation),
  total,
})
export const JoinedOrganisation = Organisation
export const DeclinedInvitation = ReceivedInvitation
export const InvitationList = z.object({ invitations: items('The newest 200 invitations', Invitation), total })

export const OrganisationId = z.strictObject({ organisationId: pathId('organisation', ORGANISATION) })
export const OrganisationSearch = z.strictObject({
  text: personal(
    z.string().trim().min(2).max(254).meta({
      description: 'The id in full, a part of the name, or an email address in full',
      example: 'ada',
    }),
  ),
})
export const AdminSessionId = OrganisationId.extend(SessionId.shape)
export const AdminKeyId = OrganisationId.extend({ apiKeyId: pathId('API key', API_KEY) })
export const AdminSessionList = z.object({
  sessions: items(
    'The newest 200 sessions',
    Session.omit({ organisationId: true, current: true })
      .extend({ userId: id('user', USER), email: personal(text('Address of the user', 'ada@example.com')) })
      .meta({ id: 'AdminSession', description: 'A signed-in session of a member' }),
  ),
  total,
})
export const Holdings = z.object({
  holdings: items(
    'What it has, by group',
    z
      .object({
        group: z.enum(holdingGroups).meta({
          description:
            '`endpoint`: a webhook endpoint. `open`: transactions that have not ended. `balance`: money that the service holds for it. `volume`: what succeeded in the last 30 days. `access`: API keys and sessions',
          example: 'open',
        }),
        environment: z.enum(environments).nullable().meta({ description: 'Environment; null: both', example: 'live' }),
        kind: text('Kind of object', 'offramp'),
        status: text('State that these have; of a balance, what it is for', 'processing'),
        count: count('How many'),
        amount: text('What they move together; null where they move nothing', '25 USDC').nullable(),
        object: z
          .object({
            id: id('object', 10),
            name: text('What merchants call it', 'https://example.com/webhooks'),
            since: time('Since when it has failed').nullable(),
          })
          .nullable()
          .meta({ description: 'The object, where it is one alone' }),
      })
      .meta({ id: 'Holding', description: 'What an organisation has of one sort' }),
  ),
  total,
})

export const SuspensionChange = OrganisationId.extend({
  message: shownText(nameText(500)).optional().meta({
    description: 'What the owners read about it, in an email and in the dashboard. The reason is for operators alone',
    example: 'Please answer our questions of 28 November',
  }),
})
export const AdminOrganisation = z
  .object({
    id: id('organisation', ORGANISATION),
    name: text('Name of the organisation', 'Ada Ltd'),
    operator: z.boolean().meta({ description: "The operators' own organisation" }),
    liveEnabled: z
      .boolean()
      .meta({ description: 'An operator has enabled live access; matters where LIVE_ACCESS is `approved`' }),
    status: z.enum(['active', 'suspended']).meta({ description: 'State of the organisation' }),
    suspendedAt: time('When it was suspended').nullable(),
    suspensionReason: text('Why it was suspended', 'Unusual activity').nullable(),
    movedTo: z
      .int()
      .nullable()
      .meta({ description: 'The number of the cell to which it has moved; null: it is in this one', example: null }),
    createdAt,
    updatedAt,
  })
  .meta({ id: 'AdminOrganisation', description: 'An organisation, as operators see it' })
export const OrganisationDetails = AdminOrganisation.extend({
  members: items('Its members', z.object({ userId: id('user', USER), email: ShownEmail, role: Role })),
}).meta({ id: 'OrganisationDetails', description: 'An organisation with its members' })
export const OrganisationList = z.object({
  organisations: items('The newest 200 organisations', AdminOrganisation),
  total,
})

const KeyType = z.enum(['secret', 'publishable']).meta({
  description: '`secret` for your servers, `publishable` for reading pay pages in browsers',
})
const KeyAccess = z.enum(['read', 'write', 'read_write'])
const EXPIRY = { description: 'When the key stops working; null: never', example: '2036-01-31T12:00:00.000Z' }
const IPS = {
  description: 'IP addresses and CIDR ranges from which the key may be used; null: every address',
  example: ['192.0.2.0/24'],
}
export const NewApiKey = z
  .strictObject({
    name: shownName(80).meta({ description: 'Your name for the key', example: 'Order service' }),
    environment: Environment,
    type: KeyType.default('secret'),
    access: KeyAccess.optional().meta({ description: 'Default `read_write`', example: 'read' }),
    expiresAt: givenTime
      .refine((given) => Date.parse(given) > Date.now(), 'Must be in the future')
      .nullish()
      .meta(EXPIRY),
    allowedIps: z
      .array(z.string().max(50).refine(isAddressRange, 'Must be an IP address or a CIDR range'))
      .min(1, 'Must name at least one address; leave it out to allow all')
      .max(50, 'Must name at most 50 addresses')
      .nullish()
      .meta(IPS),
  })
  .refine(({ type, access }) => type === 'secret' || access === undefined || access === 'read', {
    path: ['access'],
    message: 'A publishable key can only read',
  })
export const ApiKey = z
  .object({
    id: id('API key', API_KEY),
    name: text('Your name for the key', 'Order service'),
    environment: Environment,
    type: KeyType,
    scopes: z.array(z.string()).meta({ description: 'Scopes of the key', example: ['api:read'] }),
    access: KeyAccess.nullable().meta({ description: 'What the scopes allow; null: nothing' }),
    allowedIps: z.array(z.string()).nullable().meta(IPS),
    maskedKey: text('The key with its secret part hidden', 'svc_test_…abcd'),
    lastUsedAt: time('When it was last used, to the minute').nullable(),
    expiresAt: z.iso.datetime().nullable().meta(EXPIRY),
    revokedAt: time('When it was revoked').nullable(),
    createdAt,
  })
  .meta({ id: 'ApiKey', description: 'A key with which your servers call this API' })
export const CreatedApiKey = ApiKey.extend({
  key: secret(text('The key, shown once', 'svc_test_Ab3dEf7hXXXXXXXXXXXXXXXXXXXXXXXX')),
}).meta({ id: 'CreatedApiKey', description: 'A new API key with its secret' })
export const ApiKeyId = z.strictObject({ apiKeyId: pathId('API key', API_KEY) })
export const ApiKeyList = z.object({ apiKeys: items('The newest 200 keys', ApiKey), total })

const ClientName = personal(
  shownName(60).meta({
    description: 'How the program names itself; the name of its key',
    example: 'CLI on workstation',
  }),
)
const CodeOfUser = z
  .string()
  .trim()
  .toUpperCase()
  .regex(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-?[BCDFGHJKLMNPQRSTVWXZ]{4}$/, 'Must be 8 letters, as in WDJB-MJHT')
  .meta({ description: 'The code that the program shows', example: 'WDJB-MJHT' })
export const DeviceStart = z.strictObject({
  clientName: ClientName,
  email: Email.optional().meta({
    description:
      'Address with which the user signs in: only to find the installation that has it, where there are several',
    example: 'ada@example.com',
  }),
})
export const DeviceStarted = z
  .object({
    deviceCode: secret(text('With it the program asks for its key', 'Zm9yIHRoZSBkZXZpY2Ugb25seQ')),
    userCode: secret(text('The code that the program shows, and the user types', 'WDJB-MJHT')),
    verificationUri: text('The page on which a user enters the code', 'https://payments.example.com/dashboard/cli'),
    verificationUriComplete: text(
      'The same page: no link contains the code, the user types it',
      'https://payments.example.com/dashboard/cli',
    ),
    expiresIn: count('Seconds until the codes expire', 600),
    interval: count('Seconds to wait between two requests for the key', 5),
  })
  .meta({ id: 'DeviceStarted', description: 'A program that waits for a user to answer (RFC 8628)' })
export const DeviceToken = z.strictObject({
  deviceCode: secret(
    z.string().min(1).max(128).meta({ description: 'The device code', example: 'Zm9yIHRoZSBkZXZpY2Ugb25seQ' }),
  ),
})
export const DeviceKey = CreatedApiKey.extend({
  organisationName: text('Name of the organisation of the key', 'Ada Ltd'),
}).meta({ id: 'DeviceKey', description: 'The key that a user has approved, with its secret' })
export const UserCode = z.strictObject({ userCode: secret(CodeOfUser) })
export const DeviceApproval = UserCode.extend({
  environment: Environment,
  access: z.enum(['read', 'read_write']).meta({ description: 'What the key may do', example: 'read_write' }),
})
export const DeviceRequest = z
  .object({
    userCode: secret(text('The code that the program shows', 'WDJB-MJHT')),
    clientName: personal(text('How the program names itself', 'CLI on workstation')),
    address: personal(text('The client address of the program', '192.0.2.10').nullable()),
    expiresAt: time('When the code expires'),
    createdAt,
  })
  .meta({ id: 'DeviceRequest', description: 'A program that waits for a user to answer' })
export const DeviceAnswer = z
  .object({ status: z.enum(['approved', 'denied']).meta({ description: 'How it was answered', example: 'approved' }) })
  .meta({ id: 'DeviceAnswer', description: 'The answer to a program that waited' })

const PROCEDURES = {
  description:
    'Names of the procedures that it may call; `admin.swaps.*` stands for those of a branch, future ones included',
  example: ['admin.organisations.list', 'admin.swaps.*'],
}
const PROCEDURE = z
  .string()
  .max(200)
  .regex(/^\w+(\.\w+)*(\.\*)?$/, 'Must be the name of a procedure, or of a branch with .* after it')
export const NewInternalToken = z.strictObject({
  name: shownName(80).meta({ description: 'Name of the tool that uses it', example: 'Nightly report' }),
  expiresInDays: z
    .number()
    .int()
    .min(1)
    .max(365)
    .meta({ description: 'For how many days it works, at most 365', example: 90 }),
  procedures: z.array(PROCEDURE).min(1).max(100).meta(PROCEDURES),
})
export const InternalToken = z
  .object({
    id: id('internal token', INTERNAL_TOKEN),
    name: text('Name of the tool that uses it', 'Nightly report'),
    procedures: z.array(z.string()).meta(PROCEDURES),
    maskedToken: text('The token with its secret part hidden', 'svc_int_…abcd'),
    createdBy: id('operator who created it: it works while they are one', USER),
    lastUsedAt: time('When it was last used, to the minute').nullable(),
    expiresAt: time('When it stops working'),
    revokedAt: time('When it was revoked').nullable(),
    createdAt,
  })
  .meta({ id: 'InternalToken', description: 'A token with which an internal tool calls procedures of operators' })
export const CreatedInternalToken = InternalToken.extend({
  token: text('The token, shown once', 'svc_int_Ab3dEf7hXXXXXXXXXXXXXXXXXXXXXXXX'),
}).meta({ id: 'CreatedInternalToken', description: 'A new internal token with its secret' })
export const InternalTokenId = z.strictObject({ internalTokenId: pathId('internal token', INTERNAL_TOKEN) })
export const InternalTokenList = z.object({ internalTokens: items('The newest 200 tokens', InternalToken), total })
