import { type Diagnosis, diagnose } from '@payments/platform'
import { type QoreidOptions, qoreidPost, tokenOf } from './token.ts'

/** Gets a token: checks of numbers cost money, so none is made. */
export const diagnoseQoreid = async (options: QoreidOptions): Promise<readonly Diagnosis[]> => [
  await diagnose(
    'qoreid: client id and secret',
    async () => {
      const answer = await tokenOf(qoreidPost(options), options)
      if ('token' in answer) return `Accepted; a token lasts ${Math.round(answer.token.seconds / 60)} minutes`
      throw new Error(answer.problem)
    },
    'Compare QOREID_CLIENT_ID and QOREID_SECRET with the dashboard of QoreID, and QOREID_BASE_URL with its documents',
  ),
]
