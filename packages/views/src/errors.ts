import { defineErrors } from '@payments/kernel'

export const errors = defineErrors({
  view_not_found: { status: 404, message: 'View not found' },
  view_of_another: { status: 403, message: 'Only who saved the view, or an owner of the organisation, may change it' },
  too_many_views: { status: 409, message: 'At most 100 views can be saved: delete one first' },
})
