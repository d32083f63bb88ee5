/** Where the approval of a command stands. One that is pending after its time has expired. */
export const approvalStatuses = ['pending', 'approved', 'declined'] as const
