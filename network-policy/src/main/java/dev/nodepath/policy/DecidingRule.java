package dev.nodepath.policy;

import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.linux.nftables.NftVerdict;
import dev.nodepath.policy.object.AskedPolicies;
import dev.nodepath.policy.object.Direction;
import dev.nodepath.policy.object.PolicyAnswer;
import dev.nodepath.policy.object.PolicyQuestion;
import dev.nodepath.policy.object.Tier;
import java.util.ArrayList;
import java.util.List;

/**
 * A rule of a table that answers a question.
 *
 * @param verdict the fate of the packet
 * @param comment of the rule; empty without one
 */
public record DecidingRule(String chain, NftVerdict verdict, String comment) {
    /** The rules that answer a question, in a packet's order; none if the table is not asked. */
    public static List<DecidingRule> of(PolicyQuestion question) {
        Direction direction = question.direction();
        AskedPolicies asked = question.asked();
        PolicyAnswer answer = question.answer();
        NftVerdict rest = PolicyNames.rest(direction, asked);
        NftVerdict drop = NftVerdict.to(PolicyNames.drop(direction));
        List<DecidingRule> rules = new ArrayList<>();
        question.passed()
                .forEach(rule -> rules.add(of(direction, rule, rule.tier() == Tier.ADMIN ? rest : NftVerdict.ACCEPT)));
        if (answer instanceof PolicyAnswer.Accepted accepted) {
            rules.add(of(direction, accepted.rule(), NftVerdict.ACCEPT));
        } else if (answer instanceof PolicyAnswer.Denied denied) {
            rules.add(of(direction, denied.rule(), drop));
        } else if (answer instanceof PolicyAnswer.Allowed allowed) {
            rules.add(new DecidingRule(
                    PolicyNames.policy(direction, allowed.policy()),
                    NftVerdict.ACCEPT,
                    PolicyChains.comment(allowed.rule(), "")));
        } else if (answer instanceof PolicyAnswer.Refused) {
            rules.add(new DecidingRule(rest.chain(), drop, ""));
        } else if (!question.isFree(PolicyAnswer.Reason.OWN_NODE) && !isAccepted(rules)) {
            String chain = rest.equals(NftVerdict.ACCEPT) ? PolicyNames.admin(direction, asked) : rest.chain();
            rules.add(new DecidingRule(chain, NftVerdict.ACCEPT, ""));
        }
        return rules;
    }

    private static DecidingRule of(Direction direction, PolicyAnswer.ClusterRuleName rule, NftVerdict verdict) {
        return new DecidingRule(
                PolicyNames.clusterPolicy(direction, new NamespacedName("", rule.policy())),
                verdict,
                PolicyChains.comment(rule.number(), rule.name()));
    }

    private static boolean isAccepted(List<DecidingRule> rules) {
        return !rules.isEmpty() && rules.get(rules.size() - 1).verdict.equals(NftVerdict.ACCEPT);
    }

    /** Whether a matched rule of a table is a deciding one: it ends a question or passes it on. */
    public static boolean isOne(String chain, NftVerdict verdict) {
        return switch (verdict.kind()) {
            case DROP -> !PolicyNames.isDrop(chain); // the rule before has led to this chain
            case ACCEPT -> !PolicyFrame.isBase(chain);
            case GOTO -> chain.startsWith(PolicyNames.CLUSTER) || PolicyNames.isDrop(verdict.chain());
            default -> false;
        };
    }
}
