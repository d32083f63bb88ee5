import { defineErrors } from '@payments/kernel'

export const errors = defineErrors({
  logo_not_found: { status: 404, message: 'Logo not found' },
  website_missing: { status: 409, message: 'Branding has no websiteUrl whose domain could be verified' },
  domain_unverified: { status: 409, message: 'The domain does not carry the DNS record yet' },
  domain_unreachable: { status: 503, message: 'The name servers of the domain could not be asked, please retry later' },
})
