package dev.nodepath.agent;

import dev.nodepath.linux.IpFamily;
import dev.nodepath.linux.iptables.Iptables;
import dev.nodepath.linux.iptables.IptablesCommand;
import dev.nodepath.linux.iptables.IptablesException;
import dev.nodepath.linux.iptables.IptablesVariant;
import dev.nodepath.linux.iptables.TableWatch;
import dev.nodepath.proxy.iptables.IptablesProxy;
import dev.nodepath.proxy.userspace.UserspaceProxy;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** How a node's Services are carried. */
public enum ProxyMode {
    USERSPACE {
        @Override
        void removeRules(List<? extends Iptables> families) throws IptablesException {
            for (Iptables iptables : families) {
                UserspaceProxy.removeRules(iptables);
            }
        }
    },
    IPTABLES {
        @Override
        void removeRules(List<? extends Iptables> families) throws IptablesException {
            for (Iptables iptables : families) {
                IptablesProxy.removeRules(iptables);
            }
        }
    };

    /** Removes every rule of this mode that one variant of iptables has in the namespace this process is in. */
    void removeRules(Optional<IptablesVariant> variant) throws IptablesException {
        removeRules(Arrays.stream(IpFamily.values())
                .map(family -> new IptablesCommand(family, variant, List.of(), new TableWatch.Blind()))
                .toList());
    }

    /** The same by the commands of one variant that somebody has already. */
    abstract void removeRules(List<? extends Iptables> families) throws IptablesException;

    /** The other one. */
    ProxyMode other() {
        return this == USERSPACE ? IPTABLES : USERSPACE;
    }

    /** As the command line spells it. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
