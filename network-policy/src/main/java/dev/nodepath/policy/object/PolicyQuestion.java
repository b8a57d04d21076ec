package dev.nodepath.policy.object;

import java.util.List;

/**
 * What the policies of one end of a connection are asked, and what they say.
 *
 * @param direction as that end sees it
 * @param pod the end
 * @param asked the policies; at least one
 * @param passed the rules that pass the question on to the next tier, in order
 * @param answer what the policies say
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

    /** Whether no policy was asked in the end, for this reason. */
    public boolean isFree(PolicyAnswer.Reason reason) {
        return answer.equals(new PolicyAnswer.Free(reason));
    }
}
