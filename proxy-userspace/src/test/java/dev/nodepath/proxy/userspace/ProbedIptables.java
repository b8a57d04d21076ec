package dev.nodepath.proxy.userspace;

import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.iptables.FakeIptables;
import dev.nodepath.linux.iptables.Iptables;
import dev.nodepath.linux.iptables.IptablesException;
import dev.nodepath.linux.iptables.IptablesVersion;
import dev.nodepath.linux.iptables.Table;
import java.io.IOException;
import java.util.OptionalLong;

/** Looks at the proxy in the moment before rules change. */
final class ProbedIptables implements Iptables {
    private final FakeIptables fake;
    Check atRestore = () -> {};
    boolean ran;
    /** The text that is being loaded. */
    String loading = "";

    ProbedIptables(FakeIptables fake) {
        this.fake = fake;
    }

    interface Check {
        void run() throws IOException;
    }

    @Override
    public IpFamily family() {
        return IpFamily.IPV4;
    }

    @Override
    public IptablesVersion version() {
        return fake.version();
    }

    @Override
    public void check() {}

    @Override
    public OptionalLong changesByOthers() {
        return fake.changesByOthers();
    }

    @Override
    public String save() {
        return fake.save();
    }

    @Override
    public String save(Table table) {
        return fake.save(table);
    }

    @Override
    public void restore(String text) throws IptablesException {
        loading = text;
        ran = true;
        try {
            atRestore.run();
        } catch (IptablesException e) {
            throw e;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        fake.restore(text);
    }
}
