package dev.nodepath.policy.object;

import java.util.List;

/**
 * A question to the policies of one end of a connection, and their answer.
 *
 * @param direction from the view of that end
 * @param pod the end
 * @param asked the policies; at least one
 * @param passed the rules that pass the question on to the next tier, in order
 * @param answer the answer of the policies
 */
public record PolicyQuestion(
        Direction direction,
        PolicyPod pod,
        AskedPolicies asked,
        List<PolicyAnswer.ClusterRuleName> passed,
        PolicyAnswer answer) {
    public PolicyQuestion {
        passed = List.copyOf(passed);
    }

    /** Whether no policy was asked after all, for this reason. */
    public boolean isFree(PolicyAnswer.Reason reason) {
        return answer.equals(new PolicyAnswer.Free(reason));
    }
}
