package dev.nodepath.agent;

import dev.nodepath.linux.IpFamily;
import dev.nodepath.linux.iptables.Iptables;
import dev.nodepath.linux.iptables.IptablesCommand;
import dev.nodepath.linux.iptables.IptablesException;
import dev.nodepath.linux.iptables.IptablesVariant;
import dev.nodepath.linux.iptables.TableWatch;
import dev.nodepath.proxy.iptables.IptablesProxy;
import dev.nodepath.proxy.userspace.UserspaceProxy;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** How a node's Services are carried. */
public enum ProxyMode {
    USERSPACE {
        @Override
        void removeRules(Optional<IptablesVariant> variant) throws IptablesException {
            for (IpFamily family : IpFamily.values()) {
                UserspaceProxy.removeRules(commands(family, variant));
            }
        }
    },
    IPTABLES {
        @Override
        void removeRules(Optional<IptablesVariant> variant) throws IptablesException {
            for (IpFamily family : IpFamily.values()) {
                Iptables iptables = commands(family, variant);
                IptablesProxy.removeRules(iptables);
            }
        }
    };

    /** Removes every rule of this mode that one variant of iptables has in the namespace this process is in. */
    abstract void removeRules(Optional<IptablesVariant> variant) throws IptablesException;

    private static Iptables commands(IpFamily family, Optional<IptablesVariant> variant) {
        return new IptablesCommand(family, variant, List.of(), new TableWatch.Blind());
    }

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
