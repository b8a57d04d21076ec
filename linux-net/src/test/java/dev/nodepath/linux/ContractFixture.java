package dev.nodepath.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.MacAddress;
import dev.nodepath.linux.link.BridgeSpec;
import dev.nodepath.linux.link.InterfaceAddress;
import dev.nodepath.linux.link.Link;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.namespace.VethSpec;
import dev.nodepath.linux.route.Route;
import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** The parts for the contract's test cases: one kernel, real or fake, and two empty namespaces of it. */
public interface ContractFixture {
    String NEAR = "np-near";
    String FAR = "np-far";

    LinuxNet net();

    /** The namespace {@link #NEAR}. */
    NetworkNamespace near();

    /** The namespace {@link #FAR}. */
    NetworkNamespace far();

    /** The names of all named namespaces, from its user's view. */
    List<String> names() throws Exception;

    /** Starts a process in {@link #NEAR} that goes on until the test ends; its ID. */
    long processInNear() throws Exception;

    default Link bridge(String name) throws LinuxNetException {
        return near().createBridge(
                        new BridgeSpec(name, Optional.of(MacAddress.random(new Random())), Optional.empty(), false));
    }

    /** A veth pair from near to far. */
    default Link veth(String name, String peerName) throws LinuxNetException {
        return near().createVeth(new VethSpec(name, Optional.empty(), peerName, far(), Optional.empty()));
    }

    /** A veth pair from near to far, both ends up. */
    default Link wire(String name, String peerName) throws LinuxNetException {
        Link link = veth(name, peerName);
        near().setUp(link.index(), true);
        far().setUp(link.peerIndex(), true);
        return link;
    }

    default Link read(NetworkNamespace namespace, int index) throws LinuxNetException {
        return namespace.links().stream()
                .filter(link -> link.index() == index)
                .findFirst()
                .orElseThrow();
    }

    /** The addresses of a link of near without the link-local one, which only the real kernel makes. */
    default List<Cidr> addressesOf(int index) throws LinuxNetException {
        return near().addresses().stream()
                .filter(address -> address.linkIndex() == index)
                .map(InterfaceAddress::address)
                .filter(address -> !address.toString().startsWith("fe80:"))
                .toList();
    }

    /** The routes of near without the link-local ones. */
    default List<Route> routes() throws LinuxNetException {
        return near().routes().stream()
                .filter(route -> !route.destination().toString().startsWith("fe80:"))
                .toList();
    }

    static Route onLink(String destination, int linkIndex) {
        return new Route(Cidr.parse(destination), Optional.empty(), linkIndex);
    }

    static Route via(String destination, String gateway, int linkIndex) {
        return new Route(Cidr.parse(destination), Optional.of(IpAddress.parse(gateway)), linkIndex);
    }

    /** Runs a call that must be refused, and checks the error. */
    static LinuxNetException assertRefused(Errno errno, ThrowingCallable refused) {
        LinuxNetException refusal = catchThrowableOfType(LinuxNetException.class, refused);
        assertThat(refusal)
                .as("the kernel took what it should refuse with %s", errno)
                .isNotNull();
        assertThat(refusal.errno()).as(refusal.getMessage()).isEqualTo(errno);
        return refusal;
    }
}
