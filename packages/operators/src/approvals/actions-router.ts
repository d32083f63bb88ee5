import { operatorCommand, query } from '@payments/platform'
import { errors } from '../errors.ts'
import { Approval, ApprovalFilter, ApprovalId, ApprovalList, CommandCall, DryRun } from '../schemas.ts'
import { approve, decline, listApprovals, present, requestApproval } from './approvals.ts'
import { type Commands, commandOf, tryOut } from './commands.ts'

const tag = 'Operators'

/** Dry runs and approvals: they run commands of every domain, which `@payments/api` finds for them. */
export const actionsRouter = (commands: Commands) => ({
  admin: {
    dryRun: query({
      rest: 'POST /admin/ops/dry-runs',
      access: 'operator',
      tag,
      personal: true,
      summary: 'See what a command would do',
      description:
        'Runs it in a transaction that is rolled back: the objects that would change and the entries that would be posted. Commands that ask a provider and apply its answer in several steps have none (409).',
      message: 'Dry run completed',
      input: CommandCall,
      output: DryRun,
      errors: [errors.command_unknown, errors.dry_run_unavailable],
      run: (context, given, call) => tryOut(context, commands, given, call),
    }),
    approvals: {
      list: query({
        rest: 'POST /admin/ops/approvals/search',
        access: 'operator',
        tag,
        summary: 'List approvals',
        description: 'Commands on money that an operator requested. The newest 200; `total` counts all that match.',
        message: 'Approvals retrieved',
        input: ApprovalFilter,
        output: ApprovalList,
        run: listApprovals,
      }),
      request: operatorCommand({
        rest: 'POST /admin/ops/approvals',
        tag,
        personal: true,
        summary: 'Request the approval of a command on money',
        description:
          'Needed above OPERATOR_LIMITS. The input is checked and its effects are kept; another operator approves it within a day. The reason is also the reason of the command.',
        message: 'Approval requested',
        status: 201,
        input: CommandCall,
        output: Approval,
        errors: [errors.command_unknown, errors.approval_not_needed],
        async run(unit, { command, input, reason }, _prepared, call) {
          const given = { command, input: { ...input, reason } }
          if (!commandOf(commands, given).operatorCommand.money) throw errors.approval_not_needed()
          const { effects } = await tryOut(unit, commands, given, call)
          const row = await requestApproval(unit, { ...given, effects, reason })
          return { reply: present(row), subject: { id: row.id }, after: { status: row.status } }
        },
      }),
      approve: operatorCommand({
        rest: 'POST /admin/ops/approvals/{approvalId}/approve',
        tag,
        personal: true,
        summary: 'Approve a command on money',
        description:
          'Runs it now, in the same transaction, if it would still do what the request shows: else 409, and a new request is needed. Not for the operator who requested it, who must still be one.',
        message: 'Command approved',
        input: ApprovalId,
        output: Approval,
        errors: [
          errors.approval_not_found,
          errors.approval_ended,
          errors.approval_own,
          errors.approval_requester_left,
          errors.approval_effects_changed,
          errors.command_unknown,
        ],
        money: true,
        async run(unit, { approvalId }, _prepared, call) {
          const row = await approve(unit, commands, approvalId, call)
          return {
            reply: present(row),
            subject: { id: row.id },
            before: { status: 'pending' },
            after: { status: row.status },
          }
        },
      }),
      decline: operatorCommand({
        rest: 'POST /admin/ops/approvals/{approvalId}/decline',
        tag,
        personal: true,
        summary: 'Decline a command on money',
        description: 'It is not run. The operator who requested it may decline it too.',
        message: 'Command declined',
        input: ApprovalId,
        output: Approval,
        errors: [errors.approval_not_found, errors.approval_ended],
        async run(unit, { approvalId }) {
          const row = await decline(unit, approvalId)
          return {
            reply: present(row),
            subject: { id: row.id },
            before: { status: 'pending' },
            after: { status: row.status },
          }
        },
      }),
    },
  },
})
