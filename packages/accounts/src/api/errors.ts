import { defineErrors } from '@payments/kernel'

export const errors = defineErrors({
  invalid_code: { status: 401, message: 'Invalid or expired code' },
  challenge_not_found: { status: 404, message: 'Challenge not found' },
  api_key_not_found: { status: 404, message: 'API key not found' },
  organisation_not_found: { status: 404, message: 'Organisation not found' },
  invitation_not_found: { status: 404, message: 'Invitation not found' },
  already_member: { status: 409, message: 'Already a member of the organisation' },
  too_many_emails: { status: 429, message: 'Too many emails were requested for this email address' },
  too_many_wrong_codes: { status: 429, message: 'Too many wrong codes were entered for this email address' },
  too_many_invitations: { status: 429, message: 'Too many invitations today' },
  operators_are_configured: { status: 409, message: 'Operators are named by the setting OPERATOR_EMAILS' },
  session_not_found: { status: 404, message: 'Session not found' },
  member_not_found: { status: 404, message: 'Member not found' },
  last_owner: { status: 409, message: 'The last owner cannot be removed or demoted' },
  email_taken: {
    status: 409,
    message: 'The email address belongs to another user',
    constraint: 'users_email_key',
  },
  too_many_api_keys: { status: 409, message: 'An organisation can have 100 active API keys; revoke one first' },
  internal_token_not_found: { status: 404, message: 'Internal token not found' },
  too_many_internal_tokens: { status: 409, message: 'There can be 100 active internal tokens; revoke one first' },
  operators_stay: { status: 409, message: "The operators' organisation cannot be suspended" },
})
