import { refusals } from '@payments/kernel'

export const no = refusals({
  invalid_code: { status: 401, says: 'Invalid or expired code' },
  challenge_not_found: { status: 404, says: 'Challenge not found' },
  environment_unknown: { status: 400, says: 'X-Service-Environment must be test or live' },
  api_key_not_found: { status: 404, says: 'API key not found' },
  organisation_not_found: { status: 404, says: 'Organisation not found' },
  already_member: { status: 409, says: 'Already a member of the organisation' },
  too_many_invitations: { status: 429, says: 'Too many invitations today' },
  operators_stay: { status: 409, says: "The operators' organisation cannot be suspended" },
})
