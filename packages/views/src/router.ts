import { noInput } from '@payments/kernel'
import { command, query } from '@payments/platform'
import { errors } from './errors.ts'
import { NewView, View, ViewId, ViewList, ViewPatch } from './schemas.ts'
import { changeView, listViews, removeView, saveView } from './service.ts'

const tag = 'Views'

export const viewsRouter = {
  list: query({
    rest: 'GET /views',
    access: 'session-read',
    role: 'any',
    tag,
    summary: 'List saved views',
    description: 'Those of the user and those that members of the organisation share, by name.',
    message: 'Views retrieved',
    input: noInput,
    output: ViewList,
    run: (context) => listViews(context),
  }),
  create: command({
    rest: 'POST /views',
    access: 'session',
    role: 'any',
    tag,
    summary: 'Save a view',
    description: 'At most 100 in an environment of the organisation, of all its members.',
    message: 'View saved',
    status: 201,
    input: NewView,
    output: View,
    errors: [errors.too_many_views],
    run: saveView,
  }),
  update: command({
    rest: 'PATCH /views/{viewId}',
    access: 'session',
    role: 'any',
    tag,
    summary: 'Update a saved view',
    description: 'Shared views are changed by who saved them and by owners.',
    message: 'View updated',
    input: ViewPatch,
    output: View,
    errors: [errors.view_not_found, errors.view_of_another],
    run: changeView,
  }),
  delete: command({
    rest: 'DELETE /views/{viewId}',
    access: 'session',
    role: 'any',
    tag,
    summary: 'Delete a saved view',
    description: 'A shared view is deleted for all members, by who saved it or by an owner.',
    message: 'View deleted',
    input: ViewId,
    output: View,
    errors: [errors.view_not_found, errors.view_of_another],
    run: (unit, { viewId }) => removeView(unit, viewId),
  }),
}
