import { defineErrors } from '@payments/kernel'

export const errors = defineErrors({
  object_not_found: { status: 404, message: 'Object not found' },
  provider_not_found: { status: 404, message: 'No provider of this environment has this name' },
  command_unknown: { status: 404, message: 'No operator command has this name' },
  dry_run_unavailable: {
    status: 409,
    message: 'This command asks a provider first and applies its answer, so what it would do is not known',
  },
  approval_not_found: { status: 404, message: 'Approval not found' },
  approval_ended: { status: 409, message: 'This approval was given or declined before, or has expired' },
  approval_own: { status: 403, message: 'Another operator than the one who requested it must approve' },
  approval_effects_changed: { status: 409, message: 'The effects have changed' },
  approval_requester_left: { status: 409, message: 'The operator who requested this is no operator any more' },
  approval_not_needed: {
    status: 422,
    message: 'Only commands on money are approved: call this one directly',
    field: 'command',
  },
  nothing_to_recheck: { status: 422, message: 'Objects of this kind have no provider to poll', field: 'kind' },
  not_in_need: { status: 404, message: 'No object of this kind and id needs an operator now' },
  job_not_found: { status: 404, message: 'Job not found in the dead-letter queue' },
})
