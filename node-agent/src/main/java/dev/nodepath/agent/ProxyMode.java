package dev.nodepath.agent;

import dev.nodepath.linux.IpFamily;
import dev.nodepath.linux.iptables.Iptables;
import dev.nodepath.linux.iptables.IptablesCommand;
import dev.nodepath.linux.iptables.IptablesException;
import dev.nodepath.proxy.iptables.IptablesProxy;
import dev.nodepath.proxy.userspace.UserspaceProxy;
import java.util.Locale;

/** How a node's Services are carried. */
public enum ProxyMode {
    USERSPACE {
        @Override
        void removeRules() throws IptablesException {
            for (IpFamily family : IpFamily.values()) {
                UserspaceProxy.removeRules(new IptablesCommand(family));
            }
        }
    },
    IPTABLES {
        @Override
        void removeRules() throws IptablesException {
            for (IpFamily family : IpFamily.values()) {
                Iptables iptables = new IptablesCommand(family);
                IptablesProxy.removeRules(iptables);
            }
        }
    };

    /** Removes every rule of this mode from the namespace this process is in. */
    abstract void removeRules() throws IptablesException;

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
