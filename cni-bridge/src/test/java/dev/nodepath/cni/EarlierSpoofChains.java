package dev.nodepath.cni;

import dev.nodepath.cni.config.LinkIdentity;
import dev.nodepath.linux.address.MacAddress;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.nftables.NftChain;
import dev.nodepath.linux.nftables.NftChange;
import dev.nodepath.linux.nftables.NftFamily;
import dev.nodepath.linux.nftables.NftRule;
import dev.nodepath.linux.nftables.NftStatement;
import dev.nodepath.linux.nftables.NftTable;
import dev.nodepath.linux.nftables.NftVerdict;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.List;
import java.util.Optional;

/**
 * The rules of an earlier version for {@code macspoofchk}: upstream's chains, and the network's hash in a comment.
 */
final class EarlierSpoofChains {
    private static final NftTable TABLE = new NftTable(NftFamily.BRIDGE, "nat");

    private EarlierSpoofChains() {}

    static void add(NetworkNamespace host, LinkIdentity identity, String port, MacAddress mac)
            throws LinuxNetException {
        String name = identity.earlierName(90);
        String comment = "macspoofchk-" + name;
        NftChain prerouting = new NftChain(TABLE, "PREROUTING", Optional.of(NftChain.Hook.BRIDGE_PREROUTING));
        NftChain ofInterface = new NftChain(TABLE, "cni-br-iface-" + name, Optional.empty());
        NftChain ofMac = new NftChain(TABLE, ofInterface.name() + "-mac", Optional.empty());
        host.nftApply(List.of(
                new NftChange.AddTable(TABLE),
                new NftChange.AddChain(prerouting),
                new NftChange.AddChain(ofInterface),
                new NftChange.AddChain(ofMac),
                rule(ofMac, comment, new NftStatement.EtherSource(mac), NftVerdict.RETURN),
                rule(ofMac, comment, NftVerdict.DROP),
                rule(ofInterface, comment, NftVerdict.jump(ofMac.name())),
                rule(
                        prerouting,
                        comment + " " + identity.networkHash(),
                        new NftStatement.InputInterface(port),
                        NftVerdict.jump(ofInterface.name()))));
    }

    private static NftChange rule(NftChain chain, String comment, NftStatement... statements) {
        return new NftChange.AddRule(chain, new NftRule(List.of(statements), comment));
    }
}
