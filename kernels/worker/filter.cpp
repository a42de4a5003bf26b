#include "kernels/worker/filter.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <vector>

namespace assay {

#if defined(__x86_64__)

namespace {

constexpr unsigned kNumber = offsetof(seccomp_data, nr);
constexpr unsigned kArchitecture = offsetof(seccomp_data, arch);
constexpr unsigned argument(int i) {
  return static_cast<unsigned>(offsetof(seccomp_data, args)) + 8U * static_cast<unsigned>(i);
}

sock_filter load(unsigned offset) {
  return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offset);
}
sock_filter give(unsigned verdict) {
  return BPF_STMT(BPF_RET | BPF_K, verdict);
}

}  // namespace

bool install_filter() {
  constexpr unsigned kTrap = SECCOMP_RET_TRAP;  // SIGSYS, whose handler notes the call
  std::vector<sock_filter> program = {
      load(kArchitecture),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0),
      give(SECCOMP_RET_KILL_PROCESS),
      load(kNumber),
      BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000U, 0, 1),  // x32
      give(SECCOMP_RET_KILL_PROCESS),
  };
  const auto refuse = [&](unsigned number) {
    program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1));
    program.push_back(give(kTrap));
  };
  for (const unsigned number : {
           // programs and processes
           SYS_fork,
           SYS_vfork,
           SYS_execve,
           SYS_execveat,
           SYS_ptrace,
           SYS_process_vm_readv,
           SYS_process_vm_writev,
           SYS_kill,
           SYS_tkill,
           SYS_rt_sigqueueinfo,
           SYS_rt_tgsigqueueinfo,
           SYS_pidfd_open,
           SYS_pidfd_send_signal,
           SYS_pidfd_getfd,
           SYS_kcmp,
           // network and devices
           SYS_socket,
           SYS_socketpair,
           SYS_connect,
           SYS_bind,
           SYS_listen,
           SYS_accept,
           SYS_accept4,
           SYS_io_uring_setup,
           // the system
           SYS_mount,
           SYS_umount2,
           SYS_pivot_root,
           SYS_chroot,
           SYS_unshare,
           SYS_setns,
           SYS_bpf,
           SYS_perf_event_open,
           SYS_userfaultfd,
           SYS_keyctl,
           SYS_add_key,
           SYS_request_key,
           SYS_reboot,
           SYS_init_module,
           SYS_finit_module,
           SYS_delete_module,
           SYS_kexec_load,
           SYS_swapon,
           SYS_swapoff,
           SYS_sethostname,
           SYS_settimeofday,
           SYS_clock_settime,
           SYS_setrlimit,
           // files: what may be written is what is open
           SYS_unlink,
           SYS_unlinkat,
           SYS_rename,
           SYS_renameat,
           SYS_renameat2,
           SYS_mkdir,
           SYS_mkdirat,
           SYS_rmdir,
           SYS_link,
           SYS_linkat,
           SYS_symlink,
           SYS_symlinkat,
           SYS_chmod,
           SYS_fchmodat,
           SYS_chown,
           SYS_lchown,
           SYS_fchownat,
           SYS_truncate,
           SYS_mknod,
           SYS_mknodat,
       }) {
    refuse(number);
  }
  // A new process is not allowed, a thread is.
  program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 4));
  program.push_back(load(argument(0)));
  program.push_back(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 1, 0));
  program.push_back(give(kTrap));
  program.push_back(give(SECCOMP_RET_ALLOW));
  // Its flags are in memory, out of a filter's sight: libraries fall back to clone.
  program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 0, 1));
  program.push_back(give(SECCOMP_RET_ERRNO | ENOSYS));
  // Signals go to oneself only: abort() and raise().
  program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_tgkill, 0, 4));
  program.push_back(load(argument(0)));
  program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(getpid()), 1, 0));
  program.push_back(give(kTrap));
  program.push_back(give(SECCOMP_RET_ALLOW));
  // Limits may be read, not set: the third argument is the new limit.
  program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_prlimit64, 0, 6));
  program.push_back(load(argument(2)));
  program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 2));
  program.push_back(load(argument(2) + 4));
  program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0));
  program.push_back(give(SECCOMP_RET_ERRNO | EPERM));
  program.push_back(give(SECCOMP_RET_ALLOW));
  // Opening a file for writing is not allowed.
  constexpr unsigned kWriting = 3 | 0100 | 01000;  // O_WRONLY, O_RDWR, O_CREAT, O_TRUNC
  for (const auto& [number, flags] : {std::pair{SYS_open, 1}, std::pair{SYS_openat, 2}}) {
    program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(number), 0, 4));
    program.push_back(load(argument(flags)));
    program.push_back(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, kWriting, 0, 1));
    program.push_back(give(SECCOMP_RET_ERRNO | EROFS));
    program.push_back(give(SECCOMP_RET_ALLOW));
  }
  program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat2, 0, 1));
  program.push_back(give(SECCOMP_RET_ERRNO | ENOSYS));
  program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_creat, 0, 1));
  program.push_back(give(SECCOMP_RET_ERRNO | EROFS));
  program.push_back(give(SECCOMP_RET_ALLOW));

  const sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return false;
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

bool hide_files() {
  std::vector<sock_filter> program = {load(kNumber)};
  for (const unsigned number : {SYS_open, SYS_openat, SYS_readlink, SYS_readlinkat}) {
    program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1));
    program.push_back(give(SECCOMP_RET_ERRNO | ENOENT));
  }
  program.push_back(give(SECCOMP_RET_ALLOW));
  const sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

#else

bool install_filter() {
  return false;
}
bool hide_files() {
  return false;
}

#endif

}  // namespace assay
