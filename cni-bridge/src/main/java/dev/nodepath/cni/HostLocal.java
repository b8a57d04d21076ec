package dev.nodepath.cni;

import dev.nodepath.cni.config.ResolvConf;
import dev.nodepath.cni.ipam.Allocation;
import dev.nodepath.cni.ipam.AllocationException;
import dev.nodepath.cni.ipam.Attachment;
import dev.nodepath.cni.ipam.HostLocalIpam;
import dev.nodepath.cni.ipam.IpamConfig;
import dev.nodepath.cni.ipam.RangeSet;
import dev.nodepath.cni.protocol.CniException;
import dev.nodepath.cni.protocol.Dns;
import dev.nodepath.cni.protocol.ErrorCode;
import dev.nodepath.cni.protocol.FileFailure;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Address management as in host-local, without another process.
 *
 * @param resolvConf the resolver configuration file; empty for none
 */
record HostLocal(
        HostLocalIpam ipam, IpamConfig config, String network, Attachment attachment, Optional<Path> resolvConf)
        implements Ipam {

    @Override
    public boolean needsLink() {
        return false;
    }

    @Override
    public Result add(boolean again) throws CniException, IOException {
        Dns dns = resolvConf.isPresent() ? ResolvConf.read(resolvConf.get()) : Dns.NONE;
        try {
            Allocation allocation = ipam.allocate(config, network, attachment, again);
            List<Address> addresses = new ArrayList<>();
            for (RangeSet.Candidate candidate : allocation.addresses()) {
                addresses.add(new Address(candidate.address(), Optional.of(candidate.gateway())));
            }
            return new Result(addresses, config.routes(), dns, allocation.fresh());
        } catch (AllocationException e) {
            throw new CniException(ErrorCode.INTERNAL, String.valueOf(e.getMessage()), e);
        }
    }

    @Override
    public void del() throws IOException {
        held().del();
    }

    @Override
    public void check() throws CniException, IOException {
        if (held().isEmpty()) {
            throw new CniException(
                    ErrorCode.INTERNAL,
                    "host-local: Failed to find address added by container " + attachment.containerId());
        }
    }

    /** The files of an ADD must be readable and writable. */
    @Override
    public void status() throws CniException {
        try {
            ipam.tryOut(config, network);
        } catch (IOException e) {
            throw unavailable("ipam.dataDir: \"" + config.dataDir() + "\" (expected: a writable folder)", e);
        }
        if (resolvConf.isPresent()) {
            try {
                ResolvConf.read(resolvConf.get());
            } catch (IOException e) {
                throw unavailable("ipam.resolvConf: \"" + resolvConf.get() + "\" (expected: a readable file)", e);
            }
        }
    }

    private static CniException unavailable(String message, IOException e) {
        String problem =
                e instanceof FileSystemException file ? FileFailure.text(file) : String.valueOf(e.getMessage());
        return new CniException(ErrorCode.UNAVAILABLE, message + ": " + problem, e);
    }

    @Override
    public Set<Attachment> attachments() throws IOException {
        return held().attachments();
    }

    @Override
    public void gc(Set<Attachment> valid) throws IOException {
        held().gc(valid);
    }

    private HeldAddresses held() {
        return new HeldAddresses(ipam, List.of(config.dataDir()), network, attachment);
    }
}
