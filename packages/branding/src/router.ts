import { errors as commonErrors, noInput } from '@payments/kernel'
import { command, query } from '@payments/platform'
import { askDomain, keepDomain } from './domain/verification.ts'
import { errors } from './errors.ts'
import { branding, changeBranding, readUpload, removeLogo, uploadLogo } from './profile/service.ts'
import { Branding, BrandingPatch, LogoUpload } from './schemas.ts'

const tag = 'Branding'

export const brandingRouter = {
  get: query({
    rest: 'GET /branding',
    access: 'read',
    tag,
    summary: 'Get the branding',
    description: 'How pages and emails to your payers look, and who stands behind them. What was not chosen is null.',
    message: 'Branding retrieved',
    input: noInput,
    output: Branding,
    run: (context) => branding(context),
  }),
  update: command({
    rest: 'PATCH /branding',
    access: 'write',
    role: 'finance-or-developer',
    tag,
    summary: 'Update the branding',
    description:
      'Applies to pages and emails from now on; a collection may override each field with `branding`. Colours that could not be read are darkened or lightened. In the live environment, only an owner with a confirmed session (`POST /auth/confirm`) may change names, the support address and links; all owners are told.',
    message: 'Branding updated',
    input: BrandingPatch,
    output: Branding,
    errors: [commonErrors.session_required, commonErrors.owner_required, commonErrors.confirmation_required],
    run: changeBranding,
  }),
  uploadLogo: command({
    rest: 'PUT /branding/logo',
    access: 'write',
    role: 'finance-or-developer',
    tag,
    summary: 'Upload a logo',
    description:
      'The image is decoded and written again on white, at most 512 pixels wide and high, so that nothing but its pixels is served. Interlaced PNGs, animations, and JPEGs of more than 20 scans are refused. Earlier logos keep their `logoId`, for collections that use them; an environment has at most 20.',
    message: 'Logo uploaded',
    input: LogoUpload,
    output: Branding,
    before: (context, input, { signal }) => readUpload(context, input, signal),
    run: (unit, _input, logo) => uploadLogo(unit, logo),
  }),
  removeLogo: command({
    rest: 'DELETE /branding/logo',
    access: 'write',
    role: 'finance-or-developer',
    tag,
    summary: 'Remove the logo',
    description: 'Pages and emails show the name alone.',
    message: 'Logo removed',
    input: noInput,
    output: Branding,
    run: removeLogo,
  }),
  verifyDomain: command({
    rest: 'POST /branding/verify-domain',
    access: 'write',
    role: 'finance-or-developer',
    tag,
    summary: 'Verify the domain of your site',
    description:
      'Looks for the TXT record `domainRecord` now. Pages then show the domain with a mark, until `websiteUrl` changes or the record is gone: it is looked at every week, and twice before the mark ends.',
    message: 'Domain verified',
    input: noInput,
    output: Branding,
    errors: [errors.website_missing, errors.domain_unverified, errors.domain_unreachable],
    before: (context) => askDomain(context),
    run: (unit, _input, domain) => keepDomain(unit, domain),
  }),
}
