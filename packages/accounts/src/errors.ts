import { defineErrors } from '@payments/kernel'

export const errors = defineErrors({
  invalid_code: { status: 401, message: 'Invalid or expired code' },
  challenge_not_found: { status: 404, message: 'Challenge not found' },
  api_key_not_found: { status: 404, message: 'API key not found' },
  organisation_not_found: { status: 404, message: 'Organisation not found' },
  already_member: { status: 409, message: 'Already a member of the organisation' },
  too_many_invitations: { status: 429, message: 'Too many invitations today' },
  operators_stay: { status: 409, message: "The operators' organisation cannot be suspended" },
})
