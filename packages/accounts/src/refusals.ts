import { refusals } from '@payments/kernel'

export const no = refusals({
  invalid_code: { status: 401, says: 'Invalid or expired code' },
  api_key_not_found: { status: 404, says: 'API key not found' },
  organisation_not_found: { status: 404, says: 'Organisation not found' },
})
