package dev.nodepath.proxy.userspace.portals;

import dev.nodepath.linux.iptables.RuleGroup;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Keeps track of who needs the rule that all TCP portals with a node port share. */
final class NodePortRule {
    private final Set<Portal.Key> users = new HashSet<>();

    void note(PortalRules rules, Collection<Portal> portals) {
        users.clear();
        portals.stream().filter(rules::needsNodePorts).map(Portal::key).forEach(users::add);
    }

    /** Notes changed portals. Adds the rule's group to changed ones if it comes or goes. */
    void note(PortalRules rules, List<PortalChange> changes, Map<String, Optional<RuleGroup>> groups) {
        boolean wasNeeded = !users.isEmpty();
        for (PortalChange change : changes) {
            Portal after = change.after();
            if (after != null && rules.needsNodePorts(after)) {
                users.add(change.key());
            } else {
                users.remove(change.key());
            }
        }
        if (wasNeeded == users.isEmpty()) {
            groups.put(PortalRules.NODE_PORTS, users.isEmpty() ? Optional.empty() : Optional.of(rules.nodePorts()));
        }
    }
}
